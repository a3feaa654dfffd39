"""`/api/tools/`: what agents of any framework are told they can call, and the calls (docs/tools.md)."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import DictField
from rest_framework.views import APIView

from accounts.http.rest import membership_of
from accounts.problems import NotFound
from agents.api.toolbox import TOOLS


class ToolList(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        return Response({"tools": [tool.definition for tool in TOOLS.values()]})


class ToolCall(APIView):
    @extend_schema(request=OpenApiTypes.OBJECT, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, name: str) -> Response:
        tool = TOOLS.get(name)
        if tool is None:
            raise NotFound
        arguments = DictField().run_validation(request.data)
        return Response(tool.execute(membership_of(request), arguments))

"""`/api/tools/`: what agents of any framework are told they can call, and the calls (docs/tools.md)."""

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.http.openapi import problems
from accounts.http.rest import membership_of
from accounts.problems import NotFound, Problem
from agents.api.toolbox import TOOLS


class ToolList(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """With `?output_schema=true` each tells what its calls answer, which model providers do not take."""
        told = request.query_params.get("output_schema") == "true"
        return Response(
            {
                "tools": [
                    tool.definition | ({"output_schema": tool.output_schema} if told else {}) for tool in TOOLS.values()
                ]
            }
        )


class ToolUse(APIView):
    @extend_schema(request=OpenApiTypes.OBJECT, responses={200: OpenApiTypes.OBJECT, **problems(409)})
    def post(self, request: Request, name: str) -> Response:
        tool = TOOLS.get(name)
        if tool is None:
            raise NotFound
        if not isinstance(request.data, dict):
            raise Problem(_("Send the tool's arguments as a JSON object."))
        return Response(tool.call(membership_of(request), request.data))

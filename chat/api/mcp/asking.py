"""Who asks, and how an expected failure is told to a model."""

import logging
from typing import Any, cast

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from accounts.models import Membership
from accounts.problems import InternalError, Problem, problem_for, told_faults
from config.faults import describe_error

logger = logging.getLogger(__name__)

MEMBERSHIP = "acervo.membership"  # in the scope of the request that the SDK is given
Context = ServerRequestContext[Any, Any]


def member_of(context: Context) -> Membership:
    assert context.request is not None  # every message comes by HTTP
    return cast(Membership, context.request.scope[MEMBERSHIP])


def problem_of(error: Exception) -> Problem:
    """What a caller is told; what nobody expected is logged, by type and place, and told as no more than that."""
    if (problem := problem_for(error)) is None:
        logger.error("a message of the Model Context Protocol failed: %s", describe_error(error))
        return InternalError()
    return problem


def failed_call(error: Exception, there: str = "") -> CallToolResult:
    """For the model to read, so that it can correct itself: the sentence, of invalid arguments each one's, and what
    `there` is."""
    problem = problem_of(error)
    told = [str(problem.detail), *told_faults(problem)]
    told += [str(one) for one in (problem.extra.get("reason"), there) if one]
    return CallToolResult(content=[TextContent(text="\n".join(told))], is_error=True)


def refusal(error: Exception) -> MCPError:
    """Where the protocol has errors of its own: what cannot be found, and what failed."""
    problem = problem_of(error)
    return MCPError(INVALID_PARAMS if problem.status_code < 500 else INTERNAL_ERROR, str(problem.detail))

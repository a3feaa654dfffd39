"""What a statement may be made of: every kind of node with the parts that it may have, and every function by name.

What is not here is refused, whatever it does: a new release of `sqlglot` that knows more lets nothing more through.
"""

from sqlglot import exp

ROOTS = (exp.Select, exp.SetOperation)

# The clauses; of each the parts that are looked at. Another part (INTO, FOR UPDATE, TABLESAMPLE, a hint) is refused.
CLAUSES: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        ("expressions", "with_", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct")
    ),
    exp.Union: frozenset(("this", "expression", "distinct", "with_", "order", "limit", "offset")),
    exp.Intersect: frozenset(("this", "expression", "distinct", "with_", "order", "limit", "offset")),
    exp.Except: frozenset(("this", "expression", "distinct", "with_", "order", "limit", "offset")),
    exp.Subquery: frozenset(("this", "alias")),
    exp.With: frozenset(("expressions",)),
    exp.CTE: frozenset(("this", "alias")),
    exp.From: frozenset(("this",)),
    exp.Join: frozenset(("this", "on", "using", "side", "kind")),
    exp.Table: frozenset(("this", "db", "alias")),
    exp.TableAlias: frozenset(("this", "columns")),
    exp.Where: frozenset(("this",)),
    exp.Group: frozenset(("expressions",)),
    exp.Having: frozenset(("this",)),
    exp.Order: frozenset(("expressions",)),
    exp.Ordered: frozenset(("this", "desc", "nulls_first")),
    exp.Limit: frozenset(("expression",)),
    exp.Offset: frozenset(("expression",)),
    exp.Distinct: frozenset(("expressions",)),
    exp.Column: frozenset(("this", "table")),
    exp.Star: frozenset(),
    exp.Cast: frozenset(("this", "to")),
    exp.TryCast: frozenset(("this", "to")),
    exp.DataType: frozenset(("this", "expressions", "nested")),
    exp.Window: frozenset(("this", "partition_by", "order", "spec", "over")),
    exp.Placeholder: frozenset(("this",)),
    exp.In: frozenset(("this", "expressions", "query")),
    exp.Replace: frozenset(("this", "expression", "replacement")),  # by what is no longer: gate._check_replacement
}
VALUES = (
    exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Alias, exp.Paren, exp.Interval, exp.Var, exp.WindowSpec,
    exp.DataTypeParam, exp.IntervalSpan,
)  # fmt: skip
OPERATORS = (
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.NullSafeEQ,
    exp.NullSafeNEQ, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.DPipe, exp.Like, exp.ILike,
    exp.Escape, exp.Between, exp.Exists, exp.Case, exp.If, exp.Filter,
)  # fmt: skip
# None that reads a row as a whole, a file, a setting or a catalogue, waits, makes rows or repeats a text.
FUNCTIONS = (
    # of many rows
    exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Stddev, exp.StddevPop, exp.StddevSamp,
    exp.Variance, exp.VariancePop, exp.Corr,
    # of a window
    exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead,
    exp.FirstValue, exp.LastValue,
    # of numbers
    exp.Abs, exp.Round, exp.Ceil, exp.Floor, exp.Sqrt, exp.Pow, exp.Ln, exp.Log, exp.Exp, exp.Sign, exp.Greatest,
    exp.Least,
    # of what may be missing
    exp.Coalesce, exp.Nullif,
    # of texts
    exp.Lower, exp.Upper, exp.Length, exp.Trim, exp.Substring, exp.Concat, exp.Left, exp.Right, exp.StrPosition,
    exp.Initcap,
    # of times
    exp.CurrentDate, exp.CurrentTimestamp, exp.Extract, exp.TimestampTrunc, exp.DateTrunc, exp.DateDiff, exp.Date,
    exp.TimeToStr, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Year, exp.Month, exp.Day, exp.Quarter, exp.Week,
    exp.DateAdd, exp.DateSub, exp.DayOfWeek, exp.Hour, exp.TimestampDiff,
)  # fmt: skip
ANY_PARTS = frozenset((*VALUES, *OPERATORS, *FUNCTIONS))
NAMED = frozenset((exp.Identifier, exp.Literal, exp.Placeholder))  # whose text is quoted or replaced
NODES = frozenset((*CLAUSES, *ANY_PARTS))

# Under these names a cast can reach nothing but a value: no object's name (regclass), no document, no composite.
TYPES = frozenset(
    (
        exp.DType.BOOLEAN, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT, exp.DType.DECIMAL, exp.DType.FLOAT,
        exp.DType.DOUBLE, exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.DATE, exp.DType.TIME, exp.DType.TIMESTAMP,
        exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPNTZ, exp.DType.UUID, exp.DType.INTERVAL, exp.DType.DATETIME,
        exp.DType.UBIGINT,
    )
)  # fmt: skip

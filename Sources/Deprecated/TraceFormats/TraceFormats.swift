// Deprecated: import TraceTools, which contains what was here.
@_exported public import TraceTools

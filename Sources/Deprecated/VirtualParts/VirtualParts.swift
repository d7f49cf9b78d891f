// Deprecated: import VirtualI2C, which contains what was here.
@_exported public import VirtualI2C

// Deprecated: import BME280, which contains what was here.
@_exported public import BME280

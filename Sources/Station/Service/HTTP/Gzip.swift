import CZlib

/// Bodies in gzip.
enum Gzip {
  /// Squeezes bytes; `nil` where they do not become fewer.
  static func squeezed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard station_gzip_begin(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 32)
    let status = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END, Int(stream.total_out) < bytes.count else { return nil }
    return Array(output.prefix(Int(stream.total_out)))
  }
}

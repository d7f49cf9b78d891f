import BME280
import Glibc

/// The calibration words as C lays them out.
struct TwinWords {
  var t1: UInt16 = 0
  var t2, t3: Int16
  var p1: UInt16
  var p2, p3, p4, p5, p6, p7, p8, p9: Int16
  var h1: UInt8
  var h2: Int16
  var h3: UInt8
  var h4, h5: Int16
  var h6: Int8

  init(_ words: Calibration) {
    (t1, t2, t3) = (words.t1, words.t2, words.t3)
    (p1, p2, p3, p4, p5) = (words.p1, words.p2, words.p3, words.p4, words.p5)
    (p6, p7, p8, p9) = (words.p6, words.p7, words.p8, words.p9)
    (h1, h2, h3, h4, h5, h6) = (words.h1, words.h2, words.h3, words.h4, words.h5, words.h6)
  }
}

/// The twin in C, as one compiler built it.
struct Twin {
  typealias Function = @convention(c) (UnsafeRawPointer, UnsafePointer<Int32>, Int32) -> UInt64

  let name: String
  let int64: Function

  init?(_ name: String, library: String) {
    guard let handle = dlopen(library, RTLD_NOW), let symbol = dlsym(handle, "twin_int64") else {
      return nil
    }
    self.name = name
    int64 = unsafeBitCast(symbol, to: Function.self)
  }
}

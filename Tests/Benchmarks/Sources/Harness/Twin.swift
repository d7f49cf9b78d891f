package import BME280
import Glibc

/// The calibration words as C lays them out.
package struct TwinWords {
  var t1: UInt16 = 0
  var t2, t3: Int16
  var p1: UInt16
  var p2, p3, p4, p5, p6, p7, p8, p9: Int16
  var h1: UInt8
  var h2: Int16
  var h3: UInt8
  var h4, h5: Int16
  var h6: Int8

  package init(_ words: Calibration) {
    (t1, t2, t3) = (words.t1, words.t2, words.t3)
    (p1, p2, p3, p4, p5) = (words.p1, words.p2, words.p3, words.p4, words.p5)
    (p6, p7, p8, p9) = (words.p6, words.p7, words.p8, words.p9)
    (h1, h2, h3, h4, h5, h6) = (words.h1, words.h2, words.h3, words.h4, words.h5, words.h6)
  }
}

/// One row that the twin computed, as C lays it out.
package struct TwinResult {
  package var fine: Int32 = 0
  package var temperature = 0.0
  package var pressure = 0.0
  package var humidity = 0.0

  package init() {}
}

/// The twin in C, as one compiler built it.
package struct Twin {
  package typealias Integers =
    @convention(c) (
      UnsafeRawPointer, UnsafePointer<Int32>, Int32
    ) -> UInt64
  package typealias Doubles =
    @convention(c) (
      UnsafeRawPointer, UnsafePointer<Int32>, Int32, UnsafeMutableRawPointer
    ) -> Void

  package let int64: Integers
  package let double: Doubles

  package init?(library: String) {
    guard let handle = dlopen(library, RTLD_NOW), let int64 = dlsym(handle, "twin_int64"),
      let double = dlsym(handle, "twin_double")
    else { return nil }
    self.int64 = unsafeBitCast(int64, to: Integers.self)
    self.double = unsafeBitCast(double, to: Doubles.self)
  }

  /// The twins that gcc and clang built, by the arguments of the program; ends it without them.
  package static func fromArguments() -> (gcc: Twin, clang: Twin) {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let gcc = Twin(library: arguments[1]),
      let clang = Twin(library: arguments[2])
    else {
      print("usage: \(arguments[0]) TWIN_BY_GCC TWIN_BY_CLANG")
      exit(64)
    }
    return (gcc, clang)
  }
}

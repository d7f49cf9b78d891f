// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error), .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The settings of the cores in the package that is measured.
let lean = strict + [.unsafeFlags(["-Xcc", "-Xclang", "-Xcc", "-mframe-pointer=none"])]

let package = Package(
  name: "aneroid-benchmarks",
  dependencies: [.package(name: "aneroid", path: "../..")],
  targets: [
    .target(name: "AllocationCounter"),
    .target(
      name: "Harness", dependencies: [.product(name: "BME280", package: "aneroid")],
      swiftSettings: strict),
    // Compiled here too: what it declares is for its own package only.
    .target(
      name: "MeasuredCores", path: "Sources/Cores", exclude: ["Cores.docc"], swiftSettings: lean,
      linkerSettings: [.linkedLibrary("m")]),
    .executableTarget(name: "CoreSpeed", dependencies: ["MeasuredCores"], swiftSettings: strict),
    .executableTarget(
      name: "BatchBenchmark",
      dependencies: ["Harness", .product(name: "BME280", package: "aneroid")],
      swiftSettings: strict),
    .executableTarget(
      name: "Counted",
      dependencies: [
        "Harness",
        .product(name: "I2C", package: "aneroid"),
        .product(name: "BME280", package: "aneroid"),
        .product(name: "VirtualI2C", package: "aneroid"),
        .product(name: "BME280Model", package: "aneroid"),
        .product(name: "Environment", package: "aneroid"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "AllocationCounter", "Harness",
        .product(name: "I2C", package: "aneroid"),
        .product(name: "BME280", package: "aneroid"),
        .product(name: "I2CTrace", package: "aneroid"),
        .product(name: "VirtualI2C", package: "aneroid"),
        .product(name: "BME280Model", package: "aneroid"),
        .product(name: "Environment", package: "aneroid"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

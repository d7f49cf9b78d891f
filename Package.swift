// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: warnings are errors, imports are explicit.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target, its documentation catalogue included, that imports nothing but what it names here.
///
/// A group is the folder in which it lies with its like.
func target(
  _ name: String, _ dependencies: [Target.Dependency] = [], group: String? = nil,
  linking: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: group.map { "Sources/\($0)/\(name)" },
    swiftSettings: strict, linkerSettings: linking)
}

/// The tests of a target, in the folder that mirrors it.
func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.target(name: name), "TestSupport"] + dependencies,
    path: "Tests/\(name)Tests",
    swiftSettings: strict
  )
}

let package = Package(
  name: "aneroid",
  products: [
    .executable(name: "aneroid", targets: ["aneroid"]),
    .library(name: "I2C", targets: ["I2C"]),
    .library(name: "BME280", targets: ["BME280"]),
    .library(name: "Barometry", targets: ["Barometry"]),
    .library(name: "BME280Driver", targets: ["BME280Driver"]),
    .library(name: "VirtualI2C", targets: ["VirtualI2C"]),
    .library(name: "VirtualSensors", targets: ["VirtualSensors"]),
    .library(name: "Bridges", targets: ["Bridges"]),
    .library(name: "I2CTrace", targets: ["I2CTrace"]),
    .library(name: "LinuxI2C", targets: ["LinuxI2C"]),
    .library(name: "Interposer", targets: ["Interposer"]),
    .library(name: "Rigs", targets: ["Rigs"]),
    .library(name: "DriverDefects", targets: ["DriverDefects"]),
    .library(name: "Audit", targets: ["Audit"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // The core: no Foundation, also built as Embedded Swift.
    target("I2C"),
    target("BME280"),
    .systemLibrary(name: "CMath"),
    target("Barometry", ["CMath"]),
    target("BME280Driver", ["I2C", "BME280"]),

    // The bench.
    target("VirtualI2C", ["I2C"], linking: [.linkedLibrary("m")]),
    target("VirtualSensors", ["I2C", "VirtualI2C", "BME280", "CMath"]),

    // Microcontrollers between.
    target("Bridges", ["I2C", "VirtualI2C"]),

    // What happened on a bus.
    target("I2CTrace", ["I2C"]),

    // Real adapters.
    .systemLibrary(name: "CLinuxI2C", providers: [.apt(["libi2c-dev"])]),
    target("LinuxI2C", ["CLinuxI2C", "I2C"]),

    // Other programs on the bench.
    .target(name: "CInterposer"),
    target("Interposer", ["CInterposer", "I2C"]),

    // What real drivers do wrong.
    target("DriverDefects", ["I2C", "BME280", "Barometry", "I2CTrace"]),

    // What knows nothing of sensors.
    target("Text", group: "Support"),
    target("Files", ["Text"], group: "Support"),
    .target(name: "CProcess", path: "Sources/Support/CProcess"),

    // Rig files.
    target(
      "Schema", ["Text", "Files", "Barometry", .product(name: "Yams", package: "Yams")],
      group: "Rig"),
    target(
      "Rigs",
      [
        "Text", "Files", "Schema",
        "I2C", "BME280", "Barometry", "BME280Driver", "VirtualI2C", "VirtualSensors",
        "Bridges", "I2CTrace", "LinuxI2C", "Interposer", "DriverDefects",
        .product(name: "Yams", package: "Yams"),
      ]),

    // Programs of users, judged.
    target(
      "Audit",
      [
        "I2C", "BME280", "Barometry", "VirtualI2C", "VirtualSensors", "I2CTrace", "DriverDefects",
        "Rigs", "Text", "Files", "Interposer",
      ]),

    // The command line.
    .executableTarget(
      name: "aneroid",
      dependencies: [
        "I2C", "BME280", "Barometry", "BME280Driver", "VirtualI2C", "VirtualSensors", "I2CTrace",
        "LinuxI2C", "Interposer", "Rigs", "DriverDefects", "Audit", "Text", "Files", "Schema",
        "CProcess",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict
    ),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    tests(of: "Text", []),
    tests(of: "Files", ["Text"]),
    tests(of: "I2C", []),
    tests(of: "BME280", []),
    tests(of: "Barometry", ["VirtualI2C", "VirtualSensors"]),
    tests(of: "BME280Driver", ["I2C", "BME280", "VirtualI2C", "VirtualSensors"]),
    tests(of: "VirtualI2C", ["I2C"]),
    tests(of: "VirtualSensors", ["I2C", "BME280", "VirtualI2C"]),
    tests(of: "Bridges", ["I2C", "VirtualI2C"]),
    tests(of: "I2CTrace", ["I2C"]),
    tests(of: "Interposer", ["CInterposer", "I2C"]),
    tests(of: "LinuxI2C", ["I2C"]),
    tests(
      of: "Rigs",
      [
        "I2C", "BME280", "Barometry", "BME280Driver", "VirtualI2C", "VirtualSensors", "Bridges",
        "I2CTrace", "DriverDefects", "Text", "Files", "Schema",
      ]),
    tests(
      of: "DriverDefects",
      ["I2C", "BME280", "VirtualI2C", "VirtualSensors", "I2CTrace"]),
    tests(
      of: "Audit",
      ["I2C", "BME280", "VirtualI2C", "VirtualSensors", "DriverDefects", "Rigs", "Files"]),
    tests(of: "aneroid", []),
  ],
  swiftLanguageModes: [.v6]
)

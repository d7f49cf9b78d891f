// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what it holds runs on a microcontroller only, and the plain build compiles none of it. The
// folders Core and BME280 are those of the package around it, compiled as Embedded Swift.

/// Settings of every target: those of the package around it, and Embedded Swift.
let embedded: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Embedded"),
  .enableExperimentalFeature("Volatile"),
  .unsafeFlags([
    "-wmo", "-O", "-Xcc", "-mfloat-abi=soft", "-Xfrontend", "-function-sections", "-Xfrontend",
    "-disable-stack-protector", "-enforce-exclusivity=unchecked",
    // Loops here have few turns: copies of their bodies only take flash.
    "-Xllvm", "-unroll-runtime=false",
  ]),
]

/// A target of the package around it.
func target(
  _ name: String, _ dependencies: [Target.Dependency] = [], folder: String
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: folder, exclude: ["\(name).docc"],
    swiftSettings: embedded)
}

let package = Package(
  name: "thesis-firmware",
  products: [.library(name: "Thesis", type: .static, targets: ["Thesis"])],
  targets: [
    target("I2C", folder: "Core/I2C"),
    .systemLibrary(name: "CMath", path: "Core/CMath"),
    target("Quantities", folder: "Core/Quantities"),
    target("Barometry", ["CMath", "Quantities"], folder: "Core/Barometry"),
    target("BME280", folder: "BME280/Datasheet"),
    target("BME280Driver", ["I2C", "BME280"], folder: "BME280/Driver"),
    .target(
      name: "Board", path: "Board",
      cSettings: [
        .unsafeFlags([
          "-ffreestanding", "-mfloat-abi=soft", "-Os", "-fno-builtin", "-ffunction-sections",
          "-Wall", "-Wextra",
          "-Werror",
        ])
      ]),
    .target(
      name: "Thesis",
      dependencies: ["Board", "I2C", "Quantities", "Barometry", "BME280", "BME280Driver"],
      path: "Station", swiftSettings: embedded),
  ],
  swiftLanguageModes: [.v6]
)

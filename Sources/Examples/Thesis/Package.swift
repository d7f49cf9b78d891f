// swift-tools-version: 6.2
import PackageDescription

// A separate package: it runs on a microcontroller only and is not part of the host build. The folders Core and BME280
// are those of the main package, compiled as Embedded Swift.

/// The settings of every target: those of the main package, and Embedded Swift.
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
    // Loops have few iterations: unrolling only takes flash.
    "-Xllvm", "-unroll-runtime=false",
  ]),
]

/// Returns a target shared with the main package.
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
    target("BME280", ["I2C", "Barometry"], folder: "BME280"),
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
      dependencies: ["Board", "I2C", "Quantities", "Barometry", "BME280"],
      path: "Station", swiftSettings: embedded),
  ],
  swiftLanguageModes: [.v6]
)

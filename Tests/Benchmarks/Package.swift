// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "aneroid-benchmarks",
  dependencies: [.package(name: "aneroid", path: "../..")],
  targets: [
    .target(name: "AllocationCounter"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "AllocationCounter",
        .product(name: "I2C", package: "aneroid"),
        .product(name: "BME280", package: "aneroid"),
        .product(name: "BME280Driver", package: "aneroid"),
        .product(name: "VirtualI2C", package: "aneroid"),
        .product(name: "VirtualSensors", package: "aneroid"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)

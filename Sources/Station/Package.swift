// swift-tools-version: 6.2
import PackageDescription

// The station is a separate package, so building the main package does not compile the station's
// web server and database. `aneroid station` starts the program built here, `aneroid-station`.

/// The settings of every target, which are the same as in the main package.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Returns the dependency on a library of the main package.
func aneroid(_ name: String) -> Target.Dependency { .product(name: name, package: "aneroid") }

let package = Package(
  name: "aneroid-station",
  products: [.executable(name: "aneroid-station", targets: ["aneroid-station"])],
  dependencies: [
    .package(name: "aneroid", path: "../.."),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.20.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .systemLibrary(name: "CNetCDF", path: "CNetCDF", providers: [.apt(["libnetcdf-dev"])]),
    .systemLibrary(name: "CZlib", path: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "CSample", path: "CSample", cSettings: [.unsafeFlags(["-Wno-c23-extensions"])]),
    .target(
      name: "StationPage", path: "Page", resources: [.embedInCode("Parts")], swiftSettings: strict),
    .target(
      name: "Forecasts", dependencies: ["CNetCDF", "CSample"], path: "Forecasts",
      swiftSettings: strict),
    .target(
      name: "Readings",
      dependencies: [
        "Forecasts", aneroid("I2C"), aneroid("Quantities"), aneroid("Barometry"),
        aneroid("BME280"), aneroid("VirtualI2C"), aneroid("Environment"),
        aneroid("BME280Model"), aneroid("LinuxI2C"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "Readings", swiftSettings: strict),
    .target(
      name: "Service",
      dependencies: [
        "CZlib", "Forecasts", "Readings", "StationPage", aneroid("Quantities"),
        aneroid("PlainHTTP"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ], path: "Service", resources: [.embedInCode("Resources/openapi.json")],
      swiftSettings: strict),
    .executableTarget(
      name: "aneroid-station",
      dependencies: [
        "Forecasts", "Readings", "Service",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Command", swiftSettings: strict),
    .testTarget(
      name: "StationTests", dependencies: ["Forecasts", "Readings", "Service"],
      path: "Tests/StationTests", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

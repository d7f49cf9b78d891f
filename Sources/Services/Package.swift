// swift-tools-version: 6.2
import PackageDescription

// The services are a separate package, so building the main package does not compile web servers,
// databases and an MQTT client. `aneroid station` and `aneroid hub` start the programs built here.

/// The settings of every target, which are the same as in the main package.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-no-emit-module-separately-wmo"], .when(configuration: .release)),
]

/// The settings of commands and tests, which are compiled as they stand unless everything is optimised, as in a release.
let cold =
  Context.environment["ANEROID_OPTIMIZE"] == "all"
  ? strict : strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// A library of the main package.
func aneroid(_ name: String) -> Target.Dependency { .product(name: name, package: "aneroid") }

/// The web server's libraries.
let web: [Target.Dependency] = [
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "HummingbirdCore", package: "hummingbird"),
  .product(name: "HummingbirdTLS", package: "hummingbird"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
  .product(name: "UnixSignals", package: "swift-service-lifecycle"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOSSL", package: "swift-nio-ssl"),
  .product(name: "HTTPTypes", package: "swift-http-types"),
]

let database: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// A target in a folder of this package.
func target(
  _ name: String, _ dependencies: [Target.Dependency] = [], in folder: String,
  resources: [Resource]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: folder, resources: resources,
    swiftSettings: strict)
}

let package = Package(
  name: "aneroid-services",
  products: [
    .executable(name: "aneroid-station", targets: ["aneroid-station"]),
    .executable(name: "aneroid-hub", targets: ["aneroid-hub"]),
  ],
  dependencies: [
    .package(name: "aneroid", path: "../.."),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    // What both services are made of: clocks and child processes, and a web server.
    target("ServiceMachine", in: "Shell/Machine"),
    target(
      "ServiceWeb",
      web + [
        "ServiceMachine", logging, .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ], in: "Shell/Web"),

    .systemLibrary(
      name: "CCurl", path: "Shell/CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Messages to people.
    target(
      "Channels", ["CCurl", aneroid("Support"), aneroid("WarehouseRuns")], in: "Shell/Channels"),

    // The weather station.
    .systemLibrary(
      name: "CNetCDF", path: "Station/CNetCDF", providers: [.apt(["libnetcdf-dev"])]),
    .systemLibrary(name: "CZlib", path: "Station/CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "CSample", path: "Station/CSample",
      cSettings: [.unsafeFlags(["-Wno-c23-extensions"])]),
    target("StationPage", in: "Station/Page", resources: [.embedInCode("Parts")]),
    target(
      "Forecasts", ["ServiceMachine", "CNetCDF", "CSample", aneroid("Support")],
      in: "Station/Forecasts"),
    target(
      "Readings",
      [
        "ServiceMachine", "Forecasts", aneroid("I2C"), aneroid("Quantities"), aneroid("Barometry"),
        aneroid("BME280"), aneroid("VirtualI2C"), aneroid("Environment"), aneroid("BME280Model"),
        aneroid("LinuxI2C"), database,
      ], in: "Station/Readings"),
    target(
      "StationService",
      [
        "ServiceMachine", "ServiceWeb", "Channels", "CSample", "CZlib", "Forecasts", "Readings",
        "StationPage",
        aneroid("Quantities"),
        aneroid("PlainHTTP"), aneroid("Support"), aneroid("Warehouse"), aneroid("WarehouseRuns"),
        logging,
      ] + web, in: "Station/Service", resources: [.embedInCode("Resources/openapi.json")]),
    .executableTarget(
      name: "aneroid-station",
      dependencies: [
        "ServiceWeb", "Channels", "Forecasts", "Readings", "StationService", aneroid("Support"),
        aneroid("WarehouseRuns"), arguments, logging,
      ], path: "Station/Command", swiftSettings: cold),

    // The hub of a warehouse.
    .systemLibrary(
      name: "CMosquitto", path: "Hub/CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
    target("HubQueue", [aneroid("Support"), database], in: "Hub/Queue"),
    target(
      "Delivery", ["CMosquitto", "HubQueue", aneroid("Support"), aneroid("Warehouse")],
      in: "Hub/Delivery"),
    target(
      "HubCore",
      [
        "ServiceMachine", "HubQueue", "Delivery", aneroid("Quantities"), aneroid("Support"),
        aneroid("Warehouse"),
      ], in: "Hub/Core"),
    target(
      "Notify",
      [
        "Channels", "ServiceMachine", "HubQueue", "HubCore", aneroid("Quantities"),
        aneroid("Support"), aneroid("Warehouse"), aneroid("WarehouseRuns"),
      ], in: "Hub/Notify"),
    target("HubPage", in: "Hub/Page", resources: [.embedInCode("Parts")]),
    target(
      "HubService",
      [
        "ServiceWeb", "ServiceMachine", "Channels", "HubQueue", "Delivery", "HubCore", "Notify",
        "HubPage",
        aneroid("Quantities"),
        aneroid("Support"), aneroid("Warehouse"), aneroid("WarehouseRuns"), aneroid("PlainHTTP"),
        logging,
      ] + web, in: "Hub/Service"),
    target(
      "HubRadio",
      [
        "ServiceMachine", "HubCore", "HubService", aneroid("BluetoothLE"), aneroid("Warehouse"),
        aneroid("WarehouseRuns"),
      ], in: "Hub/Radio"),
    target(
      "HubRuns",
      [
        "ServiceMachine", "Delivery", "HubQueue", "HubRadio", aneroid("BluetoothLE"),
        aneroid("Environment"), aneroid("SensorTags"), aneroid("VirtualI2C"),
        aneroid("WarehouseRuns"),
      ], in: "Hub/Runs"),
    target(
      "HubReports",
      ["HubQueue", aneroid("Quantities"), aneroid("Support"), aneroid("Warehouse")],
      in: "Hub/Reports"),
    .executableTarget(
      name: "aneroid-hub",
      dependencies: [
        "ServiceMachine", "Channels", "HubQueue", "HubCore", "Notify", "HubService", "HubRadio",
        "HubRuns",
        "HubReports",
        aneroid("Support"), aneroid("Warehouse"), aneroid("WarehouseRuns"), arguments, logging,
      ], path: "Hub/Command", swiftSettings: cold),

    .testTarget(
      name: "StationTests",
      dependencies: ["Forecasts", "Readings", "StationService", aneroid("Support")],
      path: "StationTests", swiftSettings: cold),
    .testTarget(
      name: "HubTests",
      dependencies: [
        "ServiceMachine", "HubQueue", "Delivery", "HubCore", "Notify", "HubService",
        aneroid("Support"),
        aneroid("Warehouse"), aneroid("WarehouseRuns"), aneroid("Quantities"), database,
      ], path: "HubTests", swiftSettings: cold),
  ],
  swiftLanguageModes: [.v6]
)

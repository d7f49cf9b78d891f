// swift-tools-version: 6.2
import PackageDescription

// The hub is a separate package, so building the main package does not compile the hub's web
// server, database and MQTT client. `aneroid hub` starts the program built here, `aneroid-hub`.

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
  name: "aneroid-hub",
  products: [.executable(name: "aneroid-hub", targets: ["aneroid-hub"])],
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
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CMosquitto", path: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .target(
      name: "HubQueue", dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
      path: "Queue", swiftSettings: strict),
    .target(
      name: "Delivery", dependencies: ["CMosquitto", "HubQueue", aneroid("Warehouse")],
      path: "Delivery", swiftSettings: strict),
    .target(
      name: "HubCore",
      dependencies: ["HubQueue", "Delivery", aneroid("Quantities"), aneroid("Warehouse")],
      path: "Core", swiftSettings: strict),
    .target(
      name: "HubPage", path: "Page", resources: [.embedInCode("Parts")], swiftSettings: strict),
    .target(
      name: "HubService",
      dependencies: [
        "HubQueue", "Delivery", "HubCore", "HubPage", aneroid("Quantities"), aneroid("Warehouse"),
        aneroid("WarehouseRuns"), aneroid("PlainHTTP"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ], path: "Service", swiftSettings: strict),
    .target(
      name: "HubRadio",
      dependencies: [
        "HubCore", "HubService", aneroid("BluetoothLE"), aneroid("Warehouse"),
        aneroid("WarehouseRuns"),
      ], path: "Radio", swiftSettings: strict),
    .target(
      name: "HubRuns",
      dependencies: [
        "Delivery", "HubQueue", "HubRadio", aneroid("BluetoothLE"), aneroid("Environment"),
        aneroid("SensorTags"), aneroid("VirtualI2C"), aneroid("WarehouseRuns"),
      ], path: "Runs", swiftSettings: strict),
    .target(
      name: "HubReports", dependencies: ["HubQueue", aneroid("Quantities"), aneroid("Warehouse")],
      path: "Reports", swiftSettings: strict),
    .executableTarget(
      name: "aneroid-hub",
      dependencies: [
        "HubQueue", "HubCore", "HubService", "HubRadio", "HubRuns", "HubReports",
        aneroid("Warehouse"), aneroid("WarehouseRuns"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Command", swiftSettings: strict),
    .testTarget(
      name: "HubTests",
      dependencies: [
        "HubQueue", "Delivery", "HubCore", "HubService", aneroid("Warehouse"),
        aneroid("WarehouseRuns"), aneroid("Quantities"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/HubTests", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

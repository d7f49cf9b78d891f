// swift-tools-version: 6.2
import PackageDescription

/// `true` if the package is built for its own sake, and not as a dependency of another package at a version, where SwiftPM
/// refuses unsafe flags.
let isRoot = !Context.packageDirectory.contains("/checkouts/")

/// Flags of the compiler that other packages cannot use: empty if this package is their dependency.
func rootOnly(_ flags: String..., when condition: BuildSettingCondition? = nil) -> [SwiftSetting] {
  isRoot ? [.unsafeFlags(flags, condition)] : []
}

/// Settings of every target: warnings are errors, imports are explicit.
///
/// The driver does not type-check each file twice, once for the module alone: in a release build nothing waits for that.
let strict: [SwiftSetting] =
  [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + rootOnly("-no-emit-module-separately-wmo", when: .when(configuration: .release))

/// `true` for a release, in which everything is optimised for speed.
let optimizesAll = Context.environment["ANEROID_OPTIMIZE"] == "all"

/// Settings of tests, and of targets whose code runs once a command, not once a transfer or a moment: they are compiled
/// as they stand, unless everything is asked for.
///
/// The optimiser takes two thirds of the time in which such a target is compiled, and no user notices what it gains.
let cold =
  optimizesAll ? strict : strict + rootOnly("-Onone", when: .when(configuration: .release))

/// Settings of targets whose code mostly waits for the kernel: compiled for size, unless everything is asked for, in three
/// quarters of the time.
let waiting =
  optimizesAll ? strict : strict + rootOnly("-Osize", when: .when(configuration: .release))

/// Settings of virtual processors and microcontrollers: no frame pointers, four instructions to some ten of each of theirs.
let lean = strict + rootOnly("-Xcc", "-Xclang", "-Xcc", "-mframe-pointer=none")

/// libi2c, for SMBus transactions on real adapters; the self-contained binary of a release uses the ioctl instead.
let noLibi2c = Context.environment["ANEROID_LIBI2C"] == "none"
let libi2c: [LinkerSetting] = noLibi2c ? [] : [.linkedLibrary("i2c")]

/// How the command is linked in a release build: with the libraries of Swift in it, and at a fixed address.
///
/// Loading and relocating these libraries would take half of the time of a short command. The packaging chooses its own
/// flags.
///
/// The last two libraries belong to FoundationEssentials, which the argument parser uses; LLVM's linker knows them all
/// without warnings. `Sources/Linking` makes it use the static libraries of C++ and YAML as well. No other program needs the
/// symbols of the command, which the loader would look through.
let selfContained: [LinkerSetting] =
  isRoot && !optimizesAll
  ? [
    .unsafeFlags(
      [
        "-static-stdlib", "-use-ld=lld", "-Xclang-linker", "-no-pie",
        "-l_FoundationCollections", "-l_FoundationCShims",
        "-Xlinker", "--no-export-dynamic", "-L\(Context.packageDirectory)/Sources/Linking",
      ], .when(configuration: .release))
  ] : []

/// The plugin that builds the site of the documentation, and its own dependency: two clones that no other build needs.
let documentation: [Package.Dependency] =
  Context.environment["ANEROID_DOCC"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

/// A target with its documentation catalogue; it imports only the dependencies that are listed here.
///
/// Its folder is named after it and lies in the folder of its layer, unless `path` names another one below `Sources`.
func target(
  _ name: String, _ dependencies: [Target.Dependency] = [], in layer: String, path: String? = nil,
  settings: [SwiftSetting] = strict, linking: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(path ?? "\(layer)/\(name)")",
    swiftSettings: settings, linkerSettings: linking)
}

/// A module that only exports the one into which it was merged, so that its import still compiles.
func former(_ name: String, now current: String) -> Target {
  target(name, [.target(name: current)], in: "Deprecated")
}

/// The tests of a target, in the folder that mirrors it.
func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.target(name: name), "TestSupport"] + dependencies,
    path: "Tests/\(name)Tests",
    swiftSettings: cold
  )
}

/// What other packages can use: a library for each of these modules.
let libraries = [
  // Sensors and buses; the first four also as Embedded Swift.
  "I2C", "Quantities", "Barometry", "BME280", "LinuxI2C",
  // The bench: virtual parts on virtual buses, and boards between.
  "Environment", "VirtualI2C", "BME280Model", "Chips", "Bridges", "BluetoothLE",
  // What happened on a bus, and other programs on it.
  "I2CTrace", "TraceTools", "Interposer",
  // The warehouse, and what the services share with the command.
  "SensorTags", "Warehouse", "WarehouseRuns", "Support", "PlainHTTP",
]

/// Deprecated: the former names of modules, each with the module that now contains it.
let formerLibraries = [
  "BME280Driver": "BME280", "BME280Station": "BME280", "VirtualParts": "VirtualI2C",
  "TraceFormats": "TraceTools",
]

let package = Package(
  name: "aneroid",
  products: [.executable(name: "aneroid", targets: ["aneroid"])]
    + (libraries + formerLibraries.keys.sorted()).map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ] + documentation,
  targets: [
    // The core: no Foundation, also built as Embedded Swift.
    target("I2C", in: "Core"),
    .systemLibrary(name: "CMath", path: "Sources/Core/CMath"),
    target("Quantities", in: "Core"),
    target("Barometry", ["CMath", "Quantities"], in: "Core"),
    target("BME280", ["I2C", "Barometry"], in: "Chips"),

    // What does not depend on sensors: text, files and findings.
    target("Support", in: "Support", path: "Support"),

    // The bench: what is simulated.
    target("Environment", ["Quantities", "CMath"], in: "Bench"),
    target(
      "VirtualI2C", ["Quantities", "I2C", "Environment"], in: "Bench",
      linking: [.linkedLibrary("m")]),

    // What happened on a bus.
    target("I2CTrace", ["Support", "I2C"], in: "Traces"),

    // What a rig file contains, below the chips.
    .systemLibrary(
      name: "CYAML", path: "Sources/Rig/CYAML", providers: [.apt(["libyaml-dev"])]),
    target("Schema", ["CYAML", "Quantities", "Support"], in: "Rig", settings: cold),
    .target(name: "CBuiltIn", path: "Sources/Rig/CBuiltIn"),
    target(
      "Parts",
      [
        "CBuiltIn", "Quantities", "Support", "Schema", "I2C", "VirtualI2C", "Environment",
        "I2CTrace",
      ], in: "Rig"),

    target(
      "PartFiles",
      [
        "CMath", "Quantities", "Support", "Schema", "Parts", "I2C", "VirtualI2C", "Environment",
        "I2CTrace",
      ], in: "Bench"),

    // The chips: the BME280's model, the defects of its drivers, and all chips as parts of a bench.
    target(
      "BME280Model",
      ["I2C", "Quantities", "VirtualI2C", "Environment", "BME280", "I2CTrace"], in: "Chips"),
    target(
      "Diagnosis",
      ["Quantities", "Support", "I2C", "BME280", "BME280Model", "Barometry", "I2CTrace"],
      in: "Chips"),
    target(
      "Chips",
      [
        "Quantities", "Support", "Schema", "Parts", "PartFiles", "I2C", "VirtualI2C",
        "Environment", "I2CTrace", "BME280", "BME280Model",
      ], in: "Chips"),
    target(
      "TraceTools", ["Support", "I2C", "VirtualI2C", "I2CTrace", "Chips", "Parts"], in: "Traces"),

    // The reach: boards, radios, real adapters, other programs.
    target("Bridges", ["Support", "I2C", "VirtualI2C"], in: "Reach"),
    target("BluetoothLE", ["CMath", "Support", "I2C", "VirtualI2C", "Bridges"], in: "Reach"),
    .systemLibrary(name: "CLinuxI2C", path: "Sources/Reach/CLinuxI2C"),
    target("LinuxI2C", ["CLinuxI2C", "Support", "I2C"], in: "Reach", linking: libi2c),
    .target(name: "CInterposer", path: "Sources/Reach/CInterposer"),
    target("Interposer", ["CInterposer", "Support", "I2C"], in: "Reach", settings: waiting),
    target("BusServers", ["Support", "I2C", "Bridges"], in: "Reach", settings: cold),
    target("PlainHTTP", ["Support"], in: "Reach"),
    .target(name: "CProcess", path: "Sources/Reach/CProcess"),

    // Rigs: what a file describes, what is assembled from it, and what happens then.
    target(
      "Rigs",
      [
        "Quantities", "Support", "Schema", "Parts", "PartFiles", "I2C", "Barometry", "VirtualI2C",
        "Environment", "Bridges", "I2CTrace", "TraceTools", "Diagnosis", "Chips", "PlainHTTP",
      ], in: "Rig", settings: cold),
    target(
      "Bench",
      [
        "Support", "I2C", "VirtualI2C", "Environment", "Bridges", "I2CTrace", "TraceTools",
        "LinuxI2C", "Rigs", "Chips", "Parts",
      ], in: "Rig"),
    target(
      "Runs",
      [
        "Quantities", "Support", "I2C", "Barometry", "VirtualI2C", "Environment", "Bridges",
        "I2CTrace", "TraceTools", "Diagnosis", "Rigs", "Bench", "Chips", "Parts", "LinuxI2C",
        "Interposer", "BusServers", "PlainHTTP",
      ], in: "Rig"),
    target(
      "Reports",
      [
        "Quantities", "Support", "I2C", "Barometry", "VirtualI2C", "Environment", "I2CTrace",
        "Diagnosis", "TraceTools", "Rigs", "Runs", "Parts", "Bridges",
      ], in: "Reports", path: "Reports", settings: cold),

    // Firmware: processors, the microcontrollers around them, and runs of images.
    target("Cores", in: "Firmware", settings: lean, linking: [.linkedLibrary("m")]),
    target("Machines", ["I2C", "Cores"], in: "Firmware", settings: lean),
    target("STM32F411", ["I2C", "Cores", "Machines"], in: "Firmware", settings: lean),
    target("ATmega328P", ["I2C", "Cores", "Machines"], in: "Firmware", settings: lean),
    target("NRF52832", ["I2C", "Cores", "Machines"], in: "Firmware", settings: lean),
    target("RP2040", ["I2C", "Cores", "Machines"], in: "Firmware", settings: lean),
    target("Images", ["Support"], in: "Firmware", settings: cold),
    target(
      "FirmwareRuns",
      [
        "CMath", "Quantities", "Support", "I2C", "Environment", "I2CTrace", "TraceTools", "Schema",
        "Chips", "Parts", "VirtualI2C", "Rigs", "Bench", "Runs", "Cores", "Machines", "Images",
        "NRF52832", "STM32F411", "RP2040",
        "ATmega328P",
      ], in: "Firmware", settings: cold),

    // Uses of a bench.
    target(
      "Watch",
      [
        "Quantities", "Support", "I2C", "Barometry", "Environment", "TraceTools", "Rigs", "Bench",
        "Runs", "Reports", "Parts",
      ], in: "Work", settings: cold),
    target(
      "Tables",
      [
        "Quantities", "Support", "Barometry", "VirtualI2C", "Diagnosis", "Chips", "Parts", "Rigs",
        "Bench", "Runs",
      ], in: "Work", settings: cold),
    target(
      "Doctor",
      [
        "Quantities", "Support", "I2C", "VirtualI2C", "Interposer", "LinuxI2C", "TraceTools",
        "Bench", "Chips", "Parts", "Bridges",
      ], in: "Work", settings: cold),
    target(
      "Audit",
      [
        "Quantities", "Support", "Schema", "Parts", "I2C", "BME280", "Barometry", "VirtualI2C",
        "BME280Model", "Chips",
        "Environment", "I2CTrace", "Diagnosis", "Interposer", "TraceTools", "Rigs", "Bench",
        "Runs",
      ], in: "Work", settings: cold),
    target(
      "Campaigns",
      [
        "CProcess", "Quantities", "Support", "Environment", "Schema", "Parts", "VirtualI2C", "Rigs",
        "Runs",
        "Reports", "FirmwareRuns",
      ], in: "Work", settings: cold),

    // The warehouse, which only the hub uses.
    target(
      "SensorTags",
      ["I2C", "VirtualI2C", "Environment", "Chips", "BME280", "BME280Model", "BluetoothLE"],
      in: "Warehouse"),
    target("Warehouse", ["CMath", "Quantities", "Support"], in: "Warehouse"),
    target(
      "WarehouseRuns",
      [
        "Quantities", "Support", "Schema", "Environment", "Parts", "VirtualI2C", "BluetoothLE",
        "SensorTags", "Warehouse",
      ], in: "Warehouse"),

    // The command: its subcommands, and the program that starts them.
    target(
      "Commands",
      [
        "Quantities", "Support", "CProcess", "I2C", "BME280", "Barometry", "VirtualI2C",
        "Environment", "Chips", "Parts", "PartFiles", "I2CTrace", "TraceTools", "Bridges",
        "Interposer", "BusServers",
        "Schema", "Rigs", "Bench", "Runs", "Reports", "Watch", "Tables", "Doctor", "Diagnosis",
        "Audit", "Campaigns", "Images", "FirmwareRuns",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], in: "Commands", path: "Commands", settings: cold),
    .executableTarget(
      name: "aneroid",
      dependencies: [
        "Commands", "Support", "CProcess",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: cold, linkerSettings: selfContained),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "Conformance", dependencies: ["I2C", "I2CTrace", "BluetoothLE"],
      path: "Tests/Conformance",
      swiftSettings: strict),
    tests(
      of: "Conformance",
      [
        "I2C", "VirtualI2C", "BME280", "BME280Model", "Environment", "I2CTrace", "TraceTools",
        "Bridges", "Support",
      ]),
    .testTarget(
      name: "ArchitectureTests", dependencies: ["TestSupport"], path: "Tests/ArchitectureTests",
      swiftSettings: strict),
    tests(of: "Support", []),
    tests(of: "PlainHTTP", ["Support"]),
    tests(of: "I2C", []),
    tests(of: "Quantities", []),
    tests(of: "Barometry", ["Quantities", "VirtualI2C", "Environment"]),
    tests(
      of: "BME280",
      ["I2C", "Barometry", "VirtualI2C", "BME280Model", "Environment"]),
    tests(of: "VirtualI2C", ["Quantities", "I2C"]),
    tests(of: "Environment", []),
    tests(
      of: "PartFiles",
      ["Quantities", "Support", "Parts", "Rigs", "I2C", "VirtualI2C", "Environment"]),
    tests(of: "BME280Model", ["Quantities", "Environment", "I2C", "BME280", "VirtualI2C"]),
    tests(
      of: "Diagnosis",
      [
        "Quantities", "Support", "I2C", "BME280", "VirtualI2C", "BME280Model", "Environment",
        "I2CTrace",
      ]),
    tests(
      of: "Chips",
      [
        "Quantities", "I2C", "VirtualI2C", "Environment", "I2CTrace", "Schema", "Parts", "Rigs",
        "Runs", "TraceTools", "Support",
      ]),
    tests(of: "Bridges", ["I2C", "VirtualI2C"]),
    tests(of: "BluetoothLE", ["Conformance", "VirtualI2C"]),
    tests(of: "I2CTrace", ["I2C"]),
    tests(of: "TraceTools", ["I2C", "I2CTrace"]),
    tests(of: "Interposer", ["CInterposer", "I2C"]),
    tests(of: "LinuxI2C", ["I2C"]),
    tests(
      of: "BusServers",
      ["Support", "I2C", "VirtualI2C", "BME280Model", "Environment", "I2CTrace", "Conformance"]),
    tests(of: "Cores", []),
    tests(of: "Machines", ["I2C", "VirtualI2C", "I2CTrace", "Cores"]),
    tests(
      of: "STM32F411",
      [
        "I2C", "VirtualI2C", "Cores", "Machines", "Images", "Support", "BME280", "BME280Model",
        "Environment",
      ]),
    tests(
      of: "RP2040",
      [
        "I2C", "VirtualI2C", "Cores", "Machines", "Images", "BME280", "BME280Model", "Environment",
      ]),
    tests(
      of: "NRF52832",
      [
        "I2C", "VirtualI2C", "Cores", "Machines", "Images", "Support", "BME280Model",
        "Environment", "BME280",
      ]),
    tests(
      of: "ATmega328P",
      ["I2C", "VirtualI2C", "BME280", "BME280Model", "Environment", "Machines", "Cores"]),
    tests(of: "Images", ["Support"]),
    tests(
      of: "FirmwareRuns",
      [
        "Quantities", "Support", "I2C", "Environment", "Barometry", "TraceTools", "Parts", "Images",
        "Machines",
        "Rigs", "Bench", "Runs",
      ]),
    tests(
      of: "Rigs",
      [
        "Quantities", "Chips", "Parts", "I2C", "BME280", "Barometry", "VirtualI2C", "BME280Model",
        "Environment", "Bridges", "I2CTrace", "Diagnosis", "Support", "Schema", "TraceTools",
        "Bench", "Runs", "Reports", "Watch", "Tables",
      ]),
    tests(
      of: "Audit",
      [
        "Quantities", "Parts", "Support", "VirtualI2C", "BME280", "BME280Model", "Environment",
        "Diagnosis", "Rigs", "Runs",
      ]),
    tests(of: "Campaigns", ["Schema", "Support"]),
    tests(of: "Doctor", ["Support"]),
    tests(of: "Tables", ["Diagnosis", "Quantities", "Support", "Rigs", "Runs"]),
    tests(of: "SensorTags", ["BluetoothLE", "VirtualI2C", "Environment"]),
    tests(of: "Warehouse", ["Quantities", "Bridges"]),
    tests(
      of: "WarehouseRuns",
      [
        "Support", "BluetoothLE", "SensorTags", "Environment", "VirtualI2C", "Quantities",
        "Warehouse",
      ]),
    tests(
      of: "Commands",
      [
        "Conformance", "I2C", "LinuxI2C",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ] + formerLibraries.sorted { $0.key < $1.key }.map { former($0.key, now: $0.value) },
  swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: warnings are errors, imports are explicit.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Settings of targets whose code runs once a command, not once a transfer or a moment: they are compiled as they stand,
/// unless everything is asked for.
///
/// The optimiser takes two thirds of the time in which such a target is compiled, and nobody notices what it gains. No
/// library that other packages use is among them.
let cold: [SwiftSetting] =
  Context.environment["ANEROID_OPTIMIZE"] == "all"
  ? strict : strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// Settings of virtual processors and microcontrollers: no frame pointers, four instructions to some ten of each of theirs.
let lean = strict + [.unsafeFlags(["-Xcc", "-Xclang", "-Xcc", "-mframe-pointer=none"])]

/// libi2c, for SMBus transactions on real adapters; the self-contained binary of a release uses the ioctl instead.
let noLibi2c = Context.environment["ANEROID_LIBI2C"] == "none"
let libi2c: [LinkerSetting] = noLibi2c ? [] : [.linkedLibrary("i2c")]

/// A target, its documentation catalogue included, that imports nothing but what it names here.
///
/// A group is the folder in which it lies with its like; its own folder has its name unless given.
func target(
  _ name: String, _ dependencies: [Target.Dependency] = [], group: String, folder: String? = nil,
  settings: [SwiftSetting] = strict, linking: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(group)/\(folder ?? name)",
    swiftSettings: settings, linkerSettings: linking)
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

/// What other packages can use, a library of its name each.
let libraries = [
  "I2C", "BME280", "Quantities", "Barometry", "BME280Driver", "BME280Station", "VirtualI2C",
  "Environment", "BME280Model", "Chips", "VirtualParts", "Bridges", "BluetoothLE", "SensorTags",
  "I2CTrace", "TraceFormats", "LinuxI2C", "Interposer", "Warehouse", "TagListening",
  "WarehouseRuns", "HubSettings", "PlainHTTP",
]

let package = Package(
  name: "aneroid",
  products: [.executable(name: "aneroid", targets: ["aneroid"])]
    + libraries.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // The core: no Foundation, also built as Embedded Swift.
    target("I2C", group: "Core"),
    .systemLibrary(name: "CMath", path: "Sources/Core/CMath"),
    target("Quantities", group: "Core"),
    target("Barometry", ["CMath", "Quantities"], group: "Core"),

    // What is simulated.
    target("VirtualI2C", ["Quantities", "I2C"], group: "Bench", linking: [.linkedLibrary("m")]),
    target("Environment", ["Quantities", "CMath"], group: "Bench"),
    target("VirtualParts", ["Quantities", "VirtualI2C", "Environment"], group: "Bench"),
    // The chips, a folder each.
    target("BME280", group: "Chips/BME280", folder: "Datasheet"),
    target("BME280Driver", ["I2C", "BME280"], group: "Chips/BME280", folder: "Driver"),
    target(
      "BME280Model",
      ["I2C", "Quantities", "VirtualI2C", "VirtualParts", "Environment", "BME280"],
      group: "Chips/BME280", folder: "Virtual"),
    target(
      "BME280Station", ["I2C", "BME280", "BME280Driver", "Barometry"], group: "Chips/BME280",
      folder: "Station"),

    // What its drivers do wrong, and its formulas over tables.
    target(
      "DriverDefects",
      ["Quantities", "Text", "Findings", "Files", "I2C", "BME280", "Barometry", "I2CTrace"],
      group: "Chips/BME280", folder: "Defects"),
    target(
      "DriverDiagnosis",
      [
        "Quantities", "Text", "Findings", "Files", "I2C", "BME280", "Barometry", "I2CTrace",
        "DriverDefects",
      ],
      group: "Chips/BME280", folder: "Diagnosis"),
    target("Compensation", ["Text", "Files", "BME280"], group: "Chips/BME280"),

    // All of them, as parts of a bench: the list that is added to.
    .target(
      name: "Chips",
      dependencies: [
        "Quantities", "Text", "Findings", "Files", "BuiltIn", "Schema", "Parts", "I2C",
        "VirtualI2C", "VirtualParts", "Environment", "I2CTrace", "BME280", "BME280Driver",
        "BME280Model", "DriverDefects",
      ],
      path: "Sources/Chips",
      exclude: [
        "BME280/Compensation", "BME280/Datasheet", "BME280/Defects", "BME280/Diagnosis",
        "BME280/Driver",
        "BME280/Station", "BME280/Virtual",
      ],
      swiftSettings: strict),

    // Microcontrollers between.
    target("Bridges", ["I2C", "VirtualI2C"], group: "Reach"),
    // Radios and tags: the command has the bridge to a Bluetooth stack alone, and the defects of published code.
    target("RadioPrograms", ["Text", "Files", "Bridges"], group: "Reach", settings: cold),
    target(
      "BluetoothLE", ["CMath", "Text", "Files", "I2C", "VirtualI2C", "RadioPrograms"],
      group: "Reach"),
    target(
      "SensorTags",
      [
        "I2C", "VirtualI2C", "Environment", "Chips", "BME280", "BME280Driver", "BME280Model",
        "BluetoothLE",
      ], group: "Warehouse"),

    // What happened on a bus.
    target("I2CTrace", ["Text", "I2C"], group: "Traces"),
    target("TraceFormats", ["Text", "Files", "I2C", "I2CTrace"], group: "Traces"),
    target(
      "TraceTools",
      [
        "Text", "Files", "I2C", "VirtualI2C", "I2CTrace", "TraceFormats", "Chips", "Parts",
        "BuiltIn",
      ], group: "Traces"),

    // Real adapters.
    .systemLibrary(name: "CLinuxI2C", path: "Sources/Reach/CLinuxI2C"),
    target("LinuxI2C", ["CLinuxI2C", "Text", "Files", "I2C"], group: "Reach", linking: libi2c),

    // Processors, and the microcontrollers around them.
    target("Cores", group: "Firmware", settings: lean, linking: [.linkedLibrary("m")]),
    target("Images", ["Text", "Files"], group: "Firmware", settings: cold),
    target("Machines", ["I2C", "Cores"], group: "Firmware", settings: lean),
    target("STM32F411", ["I2C", "Cores", "Machines"], group: "Firmware", settings: lean),
    target("ATmega328P", ["I2C", "Cores", "Machines"], group: "Firmware", settings: lean),
    target("NRF52832", ["I2C", "Cores", "Machines"], group: "Firmware", settings: lean),

    target(
      "FirmwareRuns",
      [
        "Text", "Files", "I2C", "I2CTrace", "TraceTools", "Parts", "Rigs", "Bench", "Runs",
        "Cores", "Machines", "Images", "NRF52832", "STM32F411", "ATmega328P",
      ], group: "Firmware"),

    // Other programs on the bench.
    .target(name: "CInterposer", path: "Sources/Reach/CInterposer"),
    target("Interposer", ["CInterposer", "Text", "Files", "I2C"], group: "Reach"),
    // What knows nothing of sensors.
    target("Text", group: "Support"),
    target("Findings", ["Text"], group: "Support"),
    target("Files", ["Text", "Findings"], group: "Support"),
    target("PlainHTTP", ["Text", "Files"], group: "Support"),
    .target(name: "CProcess", path: "Sources/Support/CProcess"),
    .systemLibrary(
      name: "CYAML", path: "Sources/Support/CYAML", providers: [.apt(["libyaml-dev"])]),

    // What a rig file says, what is put together of it, what happens then.
    .target(name: "CBuiltIn", path: "Sources/Rig/CBuiltIn"),
    target("BuiltIn", ["CBuiltIn", "Text", "Files"], group: "Rig"),
    target(
      "Schema", ["CYAML", "Quantities", "Text", "Findings", "Files"], group: "Rig"),
    target(
      "Parts",
      [
        "Quantities", "Text", "Findings", "Files", "BuiltIn", "Schema", "I2C", "VirtualI2C",
        "VirtualParts", "Environment", "I2CTrace",
      ],
      group: "Rig"),
    target(
      "Faults", ["Quantities", "Schema", "Parts", "I2C", "VirtualI2C", "VirtualParts"], group: "Rig"
    ),
    target(
      "WeatherTables",
      ["Quantities", "Text", "Files", "Schema", "BuiltIn", "Environment"], group: "Rig"),
    target(
      "Rigs",
      [
        "WeatherTables", "Quantities", "Text", "Findings", "Files", "Schema", "Faults", "I2C",
        "Barometry", "VirtualI2C", "Environment", "Bridges", "I2CTrace", "TraceTools",
        "DriverDefects", "Chips", "PlainHTTP", "Parts", "BuiltIn",
      ], group: "Rig", settings: cold),
    target(
      "KeyPages", ["Text", "Schema", "Parts", "Chips", "Rigs"], group: "Rig", settings: cold),
    target(
      "Bench",
      [
        "Text", "Files", "I2C", "VirtualI2C", "Environment", "Bridges", "I2CTrace", "TraceTools",
        "LinuxI2C", "Rigs", "Chips", "Parts", "BuiltIn", "RadioPrograms",
      ], group: "Rig"),
    target(
      "Runs",
      [
        "Quantities", "Text", "Files", "I2C", "Barometry", "VirtualI2C", "Environment", "Bridges",
        "I2CTrace", "TraceTools", "DriverDefects", "Rigs", "Bench", "Chips", "Parts", "LinuxI2C",
        "Interposer", "PlainHTTP",
      ], group: "Rig"),

    // What tells of a run.
    target("Plots", ["Text"], group: "Telling", settings: cold),
    target(
      "Reports",
      [
        "Quantities", "Text", "Findings", "Files", "I2C", "Barometry", "VirtualI2C", "Environment",
        "DriverDefects", "TraceTools", "Rigs", "Runs", "Plots", "Parts", "Bridges",
      ], group: "Telling"),
    target(
      "Pages",
      [
        "Quantities", "Text", "Files", "I2C", "Barometry", "VirtualI2C", "Environment", "I2CTrace",
        "TraceTools", "DriverDefects", "Rigs", "Runs", "Reports", "Plots", "Parts",
      ], group: "Telling", settings: cold),

    // Uses of a bench.
    target(
      "Watch",
      [
        "Quantities", "Text", "Files", "I2C", "Barometry", "Environment", "TraceTools", "Rigs",
        "Bench", "Runs", "Reports", "Parts",
      ], group: "Work", settings: cold),
    target("Recordings", ["Quantities", "Text", "Files"], group: "Work", settings: cold),
    target("Scoring", ["Quantities", "Text", "Files", "BuiltIn", "Barometry"], group: "Work"),
    target(
      "Doctor",
      [
        "Quantities", "Text", "Findings", "Files", "I2C", "VirtualI2C", "Interposer", "LinuxI2C",
        "TraceTools", "Bench", "Chips", "Parts", "Bridges",
      ], group: "Work", settings: cold),

    target(
      "Explain",
      [
        "DriverDiagnosis", "BuiltIn", "Quantities", "Text", "Files", "VirtualI2C", "DriverDefects",
        "Chips", "Rigs", "Bench", "Runs",
      ],
      group: "Work"),
    // Programs of users, judged.
    target(
      "Audit",
      [
        "DriverDiagnosis", "Quantities", "I2C", "BME280", "Barometry", "VirtualI2C", "BME280Model",
        "Environment", "I2CTrace", "DriverDefects", "Text", "Findings", "Files", "Interposer",
        "TraceTools", "Rigs", "Bench", "Runs",
      ], group: "Work", settings: cold),

    // The warehouse: none of it is in the command.
    target("Warehouse", ["CMath", "Quantities", "Text"], group: "Warehouse"),
    target("TagListening", ["Quantities", "BluetoothLE", "Warehouse"], group: "Warehouse"),
    target(
      "WarehouseRuns",
      [
        "Quantities", "Text", "Findings", "Files", "Schema", "Environment", "WeatherTables",
        "VirtualI2C", "BluetoothLE", "SensorTags", "TagListening", "Warehouse", "HubSettings",
      ], group: "Warehouse"),
    target(
      "HubSettings",
      ["Quantities", "Text", "Findings", "Files", "Schema", "Warehouse"],
      group: "Warehouse"),

    // The command line.
    .executableTarget(
      name: "aneroid",
      dependencies: [
        "DriverDiagnosis", "Quantities", "Text", "Findings", "Files", "CProcess", "I2C", "BME280",
        "Barometry", "VirtualI2C", "Environment", "Chips", "Parts",
        "I2CTrace", "TraceFormats", "TraceTools", "Interposer", "BuiltIn", "Schema", "Rigs",
        "KeyPages", "Bench", "Runs", "Reports", "Pages", "Watch", "Recordings", "Compensation",
        "Scoring", "Doctor", "DriverDefects", "Audit", "Images", "FirmwareRuns", "Explain",
        "RadioPrograms", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: cold
    ),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "Conformance", dependencies: ["I2C", "I2CTrace", "BluetoothLE"],
      path: "Tests/Conformance",
      swiftSettings: strict),
    tests(
      of: "Conformance",
      [
        "I2C", "VirtualI2C", "BME280", "BME280Model", "Environment", "I2CTrace", "TraceTools",
        "Bridges", "Files",
      ]),
    .testTarget(
      name: "ArchitectureTests", dependencies: ["TestSupport"], path: "Tests/ArchitectureTests",
      swiftSettings: strict),
    tests(of: "Text", []),
    tests(of: "Findings", ["Text"]),
    tests(of: "Files", ["Text"]),
    tests(of: "PlainHTTP", ["Files"]),
    tests(of: "I2C", []),
    tests(of: "BME280", []),
    tests(of: "Quantities", []),
    tests(of: "Barometry", ["Quantities", "VirtualI2C", "Environment"]),
    tests(
      of: "BME280Driver",
      ["I2C", "BME280", "VirtualI2C", "VirtualParts", "BME280Model", "Environment"]),
    tests(
      of: "BME280Station",
      ["I2C", "BME280", "Barometry", "VirtualI2C", "BME280Model", "Environment"]),
    tests(of: "VirtualI2C", ["Quantities", "I2C"]),
    tests(of: "Environment", []),
    tests(
      of: "BME280Model",
      ["Quantities", "Environment", "I2C", "BME280", "VirtualI2C", "VirtualParts"]),
    tests(
      of: "Chips",
      [
        "Quantities", "I2C", "VirtualI2C", "VirtualParts", "Environment", "I2CTrace", "Schema",
        "Parts", "Rigs", "Runs", "TraceTools", "Files",
      ]),
    tests(of: "Bridges", ["I2C", "VirtualI2C"]),
    tests(of: "BluetoothLE", ["Conformance", "VirtualI2C"]),
    tests(of: "SensorTags", ["BluetoothLE", "VirtualI2C", "Environment"]),
    tests(of: "I2CTrace", ["I2C"]),
    tests(of: "TraceFormats", ["I2C", "I2CTrace"]),
    tests(of: "Interposer", ["CInterposer", "I2C"]),
    tests(of: "LinuxI2C", ["I2C"]),
    tests(of: "Cores", []),
    tests(of: "Images", ["Files"]),
    tests(
      of: "FirmwareRuns",
      [
        "Quantities", "Text", "Files", "I2C", "Barometry", "TraceTools", "Parts", "Images",
        "Machines", "Rigs", "Bench", "Runs",
      ]),
    tests(of: "Machines", ["I2C", "VirtualI2C", "I2CTrace", "Cores"]),
    tests(
      of: "STM32F411",
      [
        "I2C", "VirtualI2C", "VirtualParts", "Cores", "Machines", "Images", "Files", "BME280",
        "BME280Model", "Environment",
      ]),
    tests(
      of: "NRF52832",
      [
        "I2C", "VirtualI2C", "Cores", "Machines", "Images", "Files", "BME280Model", "Environment",
        "BME280", "VirtualParts",
      ]),
    tests(
      of: "ATmega328P",
      [
        "I2C", "VirtualI2C", "BME280", "BME280Driver", "BME280Model", "Environment", "Machines",
        "Cores",
      ]),
    tests(
      of: "Rigs",
      [
        "Quantities", "Chips", "Parts", "I2C", "BME280", "Barometry", "BME280Driver", "VirtualI2C",
        "VirtualParts", "BME280Model", "Environment", "Bridges", "I2CTrace", "TraceFormats",
        "DriverDefects", "Text", "Files", "Schema", "TraceTools", "Bench", "Runs", "Findings",
        "BuiltIn", "KeyPages", "Reports", "Pages", "Watch", "Recordings", "Compensation",
        "Scoring",
      ]),
    tests(
      of: "DriverDefects",
      [
        "DriverDiagnosis", "Quantities", "Files", "I2C", "BME280", "VirtualI2C", "BME280Model",
        "Environment", "I2CTrace",
      ]),
    tests(
      of: "Audit",
      [
        "Quantities", "Parts", "Text", "VirtualI2C", "BME280", "BME280Model", "Environment",
        "DriverDefects", "Files", "Rigs", "Runs",
      ]),
    tests(of: "Doctor", ["Findings"]),
    tests(of: "Warehouse", ["Quantities", "RadioPrograms"]),
    tests(
      of: "TagListening",
      ["BluetoothLE", "SensorTags", "Environment", "VirtualI2C", "Quantities", "Warehouse"]),
    tests(of: "WarehouseRuns", ["Files", "HubSettings", "Warehouse"]),
    tests(
      of: "Explain",
      ["DriverDiagnosis", "Quantities", "Text", "Files", "DriverDefects", "Rigs", "Runs"]),
    tests(
      of: "aneroid",
      [
        "Conformance", "I2C", "LinuxI2C",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// usage: CoreSpeed IMAGE RAM RESULT
// Runs an image on the ARM core to its BKPT: IMAGE lies at 0, RAM at 0x20000000 (512 KiB), whose content goes to RESULT. Prints the
// nanoseconds of the processor and the instructions.

import Glibc
import MeasuredCores

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
  print("usage: \(arguments[0]) IMAGE RAM RESULT")
  exit(64)
}

let space = AddressSpace()
let flash = space.addMemory(at: 0, count: 0x40000, isWritable: false)
let ram = space.addMemory(at: 0x2000_0000, count: 0x80000, isWritable: true)
for (path, region) in [(arguments[1], flash), (arguments[2], ram)] {
  guard let file = fopen(path, "rb") else { exit(66) }
  guard fread(region.bytes, 1, Int(region.count), file) > 0 else { exit(66) }
  fclose(file)
}

let core = ArmCore(memory: space)
core.reset()
let start = clock()
let stop = core.run(until: .max)
let elapsed = clock() - start
guard stop == .breakpoint(1) else {
  print("\(stop)")
  exit(1)
}
print(elapsed * 1000, core.instructions)

guard let file = fopen(arguments[3], "wb") else { exit(73) }
guard fwrite(ram.bytes, 1, Int(ram.count), file) == Int(ram.count) else { exit(73) }
fclose(file)

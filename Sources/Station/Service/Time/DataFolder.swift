import Glibc

/// Files of the system that hold data.
enum DataFolder {
  /// The files in a folder and the folders in it, by their paths from it; left out are `posix` and `right`, which repeat
  /// the others, and what names the zone of the machine.
  static func names(in folder: String, depth: Int, prefix: String = "") -> [String] {
    guard depth > 0, let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix("."),
        !(prefix.isEmpty && ["posix", "right", "localtime", "posixrules"].contains(name))
      else { continue }
      var status = stat()
      guard stat(folder + "/" + name, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        found += names(in: folder + "/" + name, depth: depth - 1, prefix: prefix + name + "/")
      } else {
        found.append(prefix + name)
      }
    }
    return found
  }

  /// A file's bytes, at most a million of them; `nil` where it cannot be read.
  static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1_000_000)
    let count = fread(&bytes, 1, bytes.count, file)
    return ferror(file) == 0 ? Array(bytes.prefix(count)) : nil
  }
}

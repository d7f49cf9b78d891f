/// The lines of the report.
package enum Report {
  /// Prints what was measured, how long it took, and a remark.
  package static func row(_ name: String, _ nanoseconds: Double, _ remark: String = "") {
    let digits = (nanoseconds * 10).rounded() / 10
    print(
      name + String(repeating: " ", count: max(1, 52 - name.count)) + "\(digits) ns   " + remark)
  }

  /// Prints what Swift and the two twins took, with the ratio to the better one.
  package static func race(_ name: String, _ medians: [Double]) {
    let ratio = medians[0] / min(medians[1], medians[2])
    row(name, medians[0], "\((ratio * 100).rounded() / 100)x the better twin")
    row("  twin in C, gcc -O3", medians[1])
    row("  twin in C, clang -O3", medians[2])
  }
}

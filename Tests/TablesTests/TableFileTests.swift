import Diagnosis
import Support
import Tables
import Testing

/// Tables and their error messages with line numbers.
struct TableFileTests {
  static let good = """
    # of a thesis
    t_h, shown_hpa, right_hpa, temperature_c
    0, 1789, 1012, 26.21
    1, 1670.25, 1012.5, 25.67
    """

  @Test("a number in the table is read with a tolerance of half a unit in its last digit")
  func reads() throws {
    let table = try TableFile.parsed(Self.good, within: 100)
    #expect(table.rows.map(\.time) == [0, 3600])
    #expect(table.rows[0].shown == 178_900 && table.rows[0].shownHalf == 50)
    #expect(abs(table.rows[1].shownHalf - 0.5) < 1e-9)
    #expect(table.rows[0].rightHalf == 150)
    #expect(abs(table.rows[1].rightHalf - 105) < 1e-9)
    #expect(table.rows[1].celsius == 25.67)
  }

  @Test(
    "an invalid table is rejected with a message that states the error",
    arguments: [
      ("", "the table is empty"), ("t_h,shown_hpa,right,temperature_c\n", "no column 'right_hpa'"),
      ("t_h,shown_hpa,right_hpa,temperature_c\n0,1789,1012,26\n", "at least two rows are required"),
      ("t_h,shown_hpa,right_hpa,temperature_c\n0,1789,1012\n", "3 cells, but the header has 4"),
      ("t_h,shown_hpa,right_hpa,temperature_c\n0,x,1012,26\n", "'x' is not a valid shown_hpa"),
      (
        "t_h,shown_hpa,right_hpa,temperature_c\n1,1789,1012,26\n1,1789,1012,26\n",
        "at least one minute apart"
      ),
      (
        "t_h,shown_hpa,right_hpa,temperature_c\n0,1789,10120,26\n",
        "is not a valid right_hpa; accepted: 300 to 1100"
      ),
      ("t_h,shown_hpa,right_hpa,temperature_c\n0,nan,1012,26\n", "'nan' is not a valid shown_hpa"),
      (
        "t_h,shown_hpa,right_hpa,temperature_c\n0,1.789e3,1012,26\n",
        "'1.789e3' is not a valid shown_hpa"
      ),
      (
        "t_h,shown_hpa,right_hpa,temperature_c\n0,1789hPa,1012,26\n",
        "'1789hPa' is not a valid shown_hpa"
      ),
      (
        "t_h,shown_hpa,right_hpa,temperature_c\n"
          + (0..<13).map { "\($0),1789,1012,26\n" }.joined(), "more than 12 rows"
      ),
    ])
  func wrong(_ text: String, _ message: String) {
    let error = #expect(throws: CSV.FormatError.self) { try TableFile.parsed(text, within: 0) }
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }
}

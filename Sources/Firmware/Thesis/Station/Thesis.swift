/// The firmware's beginning.
@main
enum Thesis {
  static func main() {
    Sleep.prepare()
    Station().run()
  }
}

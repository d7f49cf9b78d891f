import Images
import Testing

/// Tests of C++ demangling.
struct ItaniumNameTests {
  @Test(
    "a mangled name is printed as in the source, without parameters",
    arguments: [
      ("_ZN7TwoWire15endTransmissionEh", "TwoWire::endTransmission"),
      ("_ZN5Print7printlnEPKc", "Print::println"),
      ("_ZN14HardwareSerial5writeEh", "HardwareSerial::write"),
      ("_ZN7TwoWireC2Ev", "TwoWire::TwoWire"),
      ("_ZN7TwoWireD0Ev", "TwoWire::~TwoWire"),
      ("_ZNK5Print10getNumbersEi", "Print::getNumbers"),
      ("_Z5setupv", "setup"),
      ("_ZL6helperi", "helper"),
      ("_ZN12_GLOBAL__N_14stepEv", "(anonymous namespace)::step"),
      ("_ZN6BufferILj8EhE3putEh", "Buffer<...>::put"),
      ("_ZN3VecIN3foo3BarES1_E4pushERKS2_", "Vec<...>::push"),
      ("_Z3maxIiET_S0_S0_", "max<...>"),
      ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<...>::push_back"),
      ("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move<...>"),
      ("_Znwj", "operator new"), ("_ZdlPvj", "operator delete"),
      ("_ZN6VectorplERKS_", "Vector::operator+"),
      ("_ZN6Sensor4readEv.part.0", "Sensor::read.part.0"),
      ("_ZTV7TwoWire", "vtable for TwoWire"),
      ("_ZN6sensor4read17h0123456789abcdefE", "sensor::read"),
    ])
  func readable(_ mangled: String, _ name: String) {
    #expect(ItaniumName.readable(mangled) == name)
  }

  @Test(
    "a name that is not mangled, or uses unsupported features, is unchanged",
    arguments: [
      "main", "_Z", "_ZN", "_ZN3fo", "_ZN99999999999999999999a", "_ZN3fooI", "_ZN3fooILN1aEE",
      "_ZZ4mainE3foo", "_ZThn8_N3foo3barEv", "$s4main3fooyyF", "_ZNE", "_Z0",
    ])
  func others(_ name: String) { #expect(ItaniumName.readable(name) == nil) }
}

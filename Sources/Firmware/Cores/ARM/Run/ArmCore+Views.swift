/// The pages that loads and stores reach without a call.
///
/// They are filled in as the program comes by, and hidden when what it may do changes: so a program without MPU and
/// debugger pays nothing for either.
extension ArmCore {
  /// Lets loads of a page pass without a call, where nobody wants to see them.
  func showLoads(_ address: UInt32) {
    let index = Int(address >> AddressSpace.pageBits)
    guard address < AddressSpace.plainLimit, state.pointee.readable[index] == nil,
      let page = memory.readable[index],
      !watches.contains(where: { $0.onLoad && $0.touches(page: index) }),
      protection.allowsPage(address, to: .load, by: rights)
    else { return }
    state.pointee.readable[index] = page
    shown.append(index)
  }

  /// Lets stores into a page pass without a call; never where decoded instructions stand.
  func showStores(_ address: UInt32) {
    let index = Int(address >> AddressSpace.pageBits)
    guard trace == nil, address < AddressSpace.plainLimit, state.pointee.writable[index] == nil,
      let page = memory.writable[index],
      code[index] == nil, !watches.contains(where: { $0.onStore && $0.touches(page: index) }),
      protection.allowsPage(address, to: .store, by: rights)
    else { return }
    state.pointee.writable[index] = page
    shown.append(index)
  }

  /// Hides all pages: each is asked for again.
  func hideViews() {
    for index in shown {
      state.pointee.readable[index] = nil
      state.pointee.writable[index] = nil
    }
    shown.removeAll(keepingCapacity: true)
  }
}

"""The parts of Google's Bumble that the bridge to Bluetooth LE uses."""

from __future__ import annotations

import asyncio
import importlib
import types
import typing


class Stack:
    """The modules of Bumble, loaded at the start so that the bridge can report a missing one."""

    def __init__(self) -> None:
        self.att = self._load("att")
        self.controller = self._load("controller")
        self.core = self._load("core")
        self.device = self._load("device")
        self.gatt = self._load("gatt")
        self.hci = self._load("hci")
        self.host = self._load("host")
        self.link = self._load("link")
        self.ll = self._load("ll")
        self.transport = self._load("transport")

    @staticmethod
    def _load(name: str) -> typing.Any:
        module: types.ModuleType = importlib.import_module("bumble." + name)
        return module

    def virtual_air(self) -> typing.Any:
        """Returns the medium shared by virtual controllers.

        Bumble's LocalLink searches all controllers for each packet and is too slow for hundreds of
        tags.
        """
        control = self.ll

        class VirtualAir(self.link.LocalLink):  # type: ignore[misc,name-defined]
            """A medium that delivers advertisements to scanning controllers only."""

            def __init__(self) -> None:
                super().__init__()
                self.controllers_by_address: typing.Dict[typing.Any, typing.Any] = {}

            def on_address_changed(self, controller: typing.Any) -> None:
                self.controllers_by_address[controller.random_address] = controller

            def find_le_controller(self, address: typing.Any) -> typing.Any:
                found = self.controllers_by_address.get(address)
                if found is not None and found.random_address == address:
                    return found
                return super().find_le_controller(address)

            def send_advertising_pdu(
                self, sender_controller: typing.Any, packet: typing.Any
            ) -> None:
                soon = asyncio.get_running_loop().call_soon
                if isinstance(packet, control.ConnectInd):
                    target = self.find_le_controller(packet.advertiser_address)
                    if target is not None:
                        soon(target.on_ll_advertising_pdu, packet)
                    return
                for controller in self.controllers:
                    is_receiving = controller.le_scan_enable or controller.pending_le_connection
                    if is_receiving and controller is not sender_controller:
                        soon(controller.on_ll_advertising_pdu, packet)

        return VirtualAir()

    def virtual_controller(self, air: typing.Any) -> typing.Any:
        """Returns the class of the virtual controllers.

        It handles scans and cancelled connections as a real controller does. Bumble 0.0.236 reports
        an advertisement twice, the second time as a scan response, also to passive scanners.
        """
        hci, control = self.hci, self.ll
        kinds = hci.HCI_LE_Extended_Advertising_Report_Event.EventType
        legacy = hci.HCI_LE_Advertising_Report_Event.EventType

        class VirtualController(self.controller.Controller):  # type: ignore[misc,name-defined]
            """A controller that reports advertisements and scan responses separately."""

            le_scan_enable: bool = False
            le_scan_type: int = 0
            pending_le_connection: typing.Any = None

            def unplug(self, *, report_to_host: bool = False) -> None:
                """Ends all connections, and stops scanning and advertising.

                Models the loss of the host or of power, and a reset by the host.
                """
                self.le_scan_enable, self.pending_le_connection = False, None
                for connection in list(self.le_connections.values()):
                    self.le_connections.pop(connection.peer_address, None)
                    try:
                        # 0x08: connection timeout, as detected by the peer.
                        connection.send_ll_control_pdu(control.TerminateInd(0x08))
                    except Exception:  # The peer is also unplugged.
                        pass
                    if report_to_host:
                        ended = hci.HCI_Disconnection_Complete_Event(
                            status=hci.HCI_ErrorCode.SUCCESS,
                            connection_handle=connection.handle,
                            reason=0x08,
                        )
                        self.send_hci_packet(ended)
                for advertiser in [self.le_legacy_advertiser, *self.advertising_sets.values()]:
                    if advertiser.enabled:
                        advertiser.stop()

            def on_hci_reset_command(self, command: typing.Any) -> typing.Any:
                self.unplug()
                return super().on_hci_reset_command(command)

            def on_hci_le_set_extended_scan_parameters_command(
                self, command: typing.Any
            ) -> typing.Any:
                self.le_scan_type = command.scan_types[0]
                return super().on_hci_le_set_extended_scan_parameters_command(command)

            def on_hci_le_create_connection_cancel_command(self, command: typing.Any) -> typing.Any:
                attempt, self.pending_le_connection = self.pending_le_connection, None
                if attempt is not None:
                    # Bumble's controller never reports the end of the attempt, so the host would
                    # wait forever.
                    ended = hci.HCI_LE_Connection_Complete_Event(
                        status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                        connection_handle=0,
                        role=hci.Role.CENTRAL,
                        peer_address_type=attempt.peer_address_type,
                        peer_address=attempt.peer_address,
                        connection_interval=0,
                        peripheral_latency=0,
                        supervision_timeout=0,
                        central_clock_accuracy=0,
                    )
                    asyncio.get_running_loop().call_soon(self.send_hci_packet, ended)
                return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

            def on_advertising_pdu(self, pdu: typing.Any) -> None:
                if self.le_scan_enable:
                    self.report(pdu, pdu.data, is_response=False)
                    if self.le_scan_type == 1:
                        self.report(pdu, self.response_of(pdu.advertiser_address), is_response=True)
                is_scanning, self.le_scan_enable = self.le_scan_enable, False
                super().on_advertising_pdu(pdu)
                self.le_scan_enable = is_scanning

            def response_of(self, address: typing.Any) -> bytes:
                """Returns the scan response data of a device."""
                controller = air.find_le_controller(address)
                if controller is not None:
                    for advertiser in [
                        controller.le_legacy_advertiser,
                        *controller.advertising_sets.values(),
                    ]:
                        if advertiser.enabled and advertiser.address == address:
                            return bytes(advertiser.scan_response_data)
                return b""

            def report(self, pdu: typing.Any, data: bytes, *, is_response: bool) -> None:
                # Virtual radios have no distance; -50 dBm is Bumble's value.
                address = pdu.advertiser_address
                common = {
                    "address_type": address.address_type,
                    "address": address,
                    "data": data,
                    "rssi": -50,
                }
                if not self.le_features & hci.LeFeatureMask.LE_EXTENDED_ADVERTISING:
                    kind = legacy.SCAN_RSP if is_response else legacy.ADV_IND
                    plain = hci.HCI_LE_Advertising_Report_Event
                    self.send_hci_packet(plain([plain.Report(event_type=kind, **common)]))
                    return
                kind = (
                    kinds.LEGACY_ADVERTISING_PDU_USED
                    | kinds.SCANNABLE_ADVERTISING
                    | kinds.CONNECTABLE_ADVERTISING
                )
                if is_response:
                    kind |= kinds.SCAN_RESPONSE
                extended = hci.HCI_LE_Extended_Advertising_Report_Event
                report = extended.Report(
                    event_type=kind,
                    primary_phy=hci.Phy.LE_1M,
                    secondary_phy=0,
                    advertising_sid=0xFF,
                    tx_power=0x7F,
                    periodic_advertising_interval=0,
                    direct_address_type=0,
                    direct_address=hci.Address.ANY,
                    **common,
                )
                self.send_hci_packet(extended([report]))

        return VirtualController

    @staticmethod
    def unplug_on_host_change(transport: typing.Any, controller: typing.Any) -> None:
        """Unplugs a controller when its host disconnects or another host connects to its transport.

        Bumble's servers do not report either event. A partial packet of a killed host would be
        prepended to the first packet of the next host, and the connections of the killed host would
        remain. A controller has one host: another one that connects takes its place, and the
        connection to the first one is closed.
        """
        sink = transport.sink
        if not hasattr(sink, "transport"):
            return
        plain = type(sink)

        class MonitoredSink(plain):  # type: ignore[misc,valid-type]
            """A sink that detects a change of its host."""

            def __setattr__(self, name: str, value: typing.Any) -> None:
                if name == "transport":
                    current = self.transport
                    if value is None and current is not None and not current.is_closing():
                        # A late disconnect of a host that was already replaced.
                        return
                    if current is not None:
                        current.close()
                    transport.source.parser.reset()
                    controller.unplug()
                super().__setattr__(name, value)

        sink.__class__ = MonitoredSink

/* Fills the EEPROM of an ATmega328P from its beginning, clears it from its end, and repeats this forever; after a reset it
 * resumes. */
#include <avr/eeprom.h>
#include <avr/io.h>

static uint8_t *at(uint16_t address) { return (uint8_t *)address; }
static uint8_t value(uint16_t address) { return (uint8_t)(address * 7 % 255); }

int main(void) {
  for (;;) {
    uint16_t address = 0;
    while (address <= E2END && eeprom_read_byte(at(address)) != 0xFF) address++;
    for (; address <= E2END; address++) eeprom_write_byte(at(address), value(address));
    while (address-- > 0) eeprom_write_byte(at(address), 0xFF);
  }
}

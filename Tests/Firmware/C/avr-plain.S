; A program for an ATmega328P without a table of vectors: it begins with its first instruction, and sends 'p'.
  .global main
  .section .text
main:
  ldi r16, 0x08
  sts 0xC1, r16
  ldi r16, 'p'
  sts 0xC6, r16
  sei
1: rjmp 1b

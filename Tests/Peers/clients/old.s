# A program of 32 bits: opens /dev/i2c-1 and exits with 1 if that fails.
.globl _start
_start:
  movl $5, %eax
  movl $path, %ebx
  movl $2, %ecx
  int $0x80
  movl %eax, %ebx
  shrl $31, %ebx
  movl $1, %eax
  int $0x80
path:
  .asciz "/dev/i2c-1"
.section .note.GNU-stack,"",@progbits

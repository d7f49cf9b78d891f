/* What a program finds instead of the vDSO's readings of clocks: they show the virtual time that lies in memory which
 * it shares with the supervisor (struct interposer_clocks), and count as the supervisor counts them. Whatever is not
 * known there is a system call. Position-independent, without relocations: interposer_lend copies it. */

#if defined(__x86_64__) && defined(__linux__)

        .section .rodata
        .balign 16
        .globl interposer_reading
        .globl interposer_reading_of_day
        .globl interposer_reading_of_seconds
        .globl interposer_reading_begin
        .globl interposer_reading_words
        .globl interposer_reading_end
        .hidden interposer_reading
        .hidden interposer_reading_of_day
        .hidden interposer_reading_of_seconds
        .hidden interposer_reading_begin
        .hidden interposer_reading_words
        .hidden interposer_reading_end

/* clock_gettime(clock %edi, result %rsi) */
interposer_reading:
        cmpl $15, %edi
        ja 1f
        movl %edi, %ecx
        call read
        jc 1f
        xorl %edx, %edx
        movl $1000000000, %ecx
        divq %rcx
        movq %rax, (%rsi)
        movq %rdx, 8(%rsi)
        xorl %eax, %eax
        ret
1:      movl $228, %eax
        syscall
        ret

/* gettimeofday(result %rdi, zone %rsi) */
interposer_reading_of_day:
        testq %rsi, %rsi
        jnz 1f
        testq %rdi, %rdi
        jz 1f
        xorl %ecx, %ecx
        call read
        jc 1f
        xorl %edx, %edx
        movl $1000000000, %ecx
        divq %rcx
        movq %rax, (%rdi)
        movl %edx, %eax
        xorl %edx, %edx
        movl $1000, %ecx
        divl %ecx
        movq %rax, 8(%rdi)
        xorl %eax, %eax
        ret
1:      movl $96, %eax
        syscall
        ret

/* time(result %rdi) */
interposer_reading_of_seconds:
        xorl %ecx, %ecx
        call read
        jc 1f
        xorl %edx, %edx
        movl $1000000000, %ecx
        divq %rcx
        testq %rdi, %rdi
        jz 2f
        movq %rax, (%rdi)
2:      ret
1:      movl $201, %eax
        syscall
        ret

/* What clock %ecx shows, in %rax; carry where it needs the supervisor. Leaves %rdi and %rsi. A handler of a signal may
 * read between any two instructions, so that each change is one. */
read:
        movq words(%rip), %rdx
        movq 64(%rdx,%rcx,8), %r8       /* origins */
        testq %r8, %r8
        jz 9f
        movl $186, %eax                 /* gettid */
        syscall
        movl %eax, %ecx
        andl $4095, %ecx
        shll $6, %ecx
        leaq 192(%rdx,%rcx), %r9        /* readers */
        cmpl %eax, (%r9)                /* thread */
        jne 9f
        movl 4(%r9), %eax               /* streak */
        cmpl 8(%r9), %eax               /* most */
        jae 9f
        cmpl $8192, 12(%r9)             /* readings */
        jae 9f
        movq (%rdx), %r10               /* now, of all */
        movq 16(%r9), %rax              /* now, of the reader */
        cmpq %rax, %r10
        jbe 2f
        cmpxchgq %r10, 16(%r9)
        jne 2f
        movl $0, 12(%r9)
2:      incl 4(%r9)
        incl 12(%r9)
        incl 28(%r9)                    /* silent */
        movl 24(%r9), %r10d             /* cost */
        movq %r10, %rax
        xaddq %rax, 16(%r9)
        addq %rax, %r10
        leaq (%r8,%r10), %rax
        clc
        ret
9:      stc
        ret

/* Where the program begins: it gets the memory, or loses the vDSO where it does not, and finds its registers as they
 * were. */
interposer_reading_begin:
        movl $30, %eax                  /* shmat */
        movl 24+words(%rip), %edi
        movq words(%rip), %rsi
        xorl %edx, %edx
        syscall
        cmpq words(%rip), %rax
        je 1f
        movq 8+words(%rip), %rax
        movq $1, (%rax)                 /* AT_IGNORE */
1:      xorl %eax, %eax
        xorl %ecx, %ecx
        xorl %esi, %esi
        xorl %edi, %edi
        xorl %r11d, %r11d
        jmpq *16+words(%rip)

        .balign 8
interposer_reading_words:
words:
        .quad 0                         /* where the memory lies */
        .quad 0                         /* the entry of the auxiliary vector that tells of the vDSO */
        .quad 0                         /* where the program begins */
        .quad 0                         /* the number of the memory */
interposer_reading_end:

#endif

#if defined(__linux__) && defined(__ELF__)
        .section .note.GNU-stack,"",%progbits
#endif

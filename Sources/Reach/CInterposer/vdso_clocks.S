/* The replacements of the vDSO's clock functions. They read the virtual time in the memory shared with the
 * supervisor (struct interposer_clocks) and count readings as the supervisor does. Cases that need the supervisor
 * are system calls. The code is position-independent and has no relocations, because interposer_patch_vdso copies
 * it. */

#if defined(__x86_64__) && defined(__linux__)

        .section .rodata
        .balign 16
        .globl interposer_vdso_clock_gettime
        .globl interposer_vdso_gettimeofday
        .globl interposer_vdso_time
        .globl interposer_vdso_start
        .globl interposer_vdso_words
        .globl interposer_vdso_end
        .hidden interposer_vdso_clock_gettime
        .hidden interposer_vdso_gettimeofday
        .hidden interposer_vdso_time
        .hidden interposer_vdso_start
        .hidden interposer_vdso_words
        .hidden interposer_vdso_end

/* clock_gettime(clock %edi, result %rsi) */
interposer_vdso_clock_gettime:
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
interposer_vdso_gettimeofday:
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
interposer_vdso_time:
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

/* Reads clock %ecx into %rax; sets carry if the supervisor is needed. Preserves %rdi and %rsi. A signal handler may
 * read between any two instructions, so each change is a single instruction. */
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
        movl 12(%r9), %eax              /* readings */
        cmpl 36(%r9), %eax              /* most_readings */
        jae 9f
        movq (%rdx), %r10               /* global now */
        movq 16(%r9), %rax              /* the reader's now */
        cmpq %rax, %r10
        jbe 2f
        cmpxchgq %r10, 16(%r9)
        jne 2f
        movl $0, 12(%r9)
        movl $8192, 36(%r9)             /* INTERPOSER_MOST_READINGS */
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

/* The start of the program: attaches the memory, or disables the vDSO if that fails, and restores the registers. */
interposer_vdso_start:
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
interposer_vdso_words:
words:
        .quad 0                         /* the address of the memory */
        .quad 0                         /* the address of the vDSO entry in the auxiliary vector */
        .quad 0                         /* the entry point of the program */
        .quad 0                         /* the System V ID of the memory */
interposer_vdso_end:

#endif

#if defined(__linux__) && defined(__ELF__)
        .section .note.GNU-stack,"",%progbits
#endif

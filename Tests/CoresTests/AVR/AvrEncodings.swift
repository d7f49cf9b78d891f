/// All AVRe+ encodings that are compared with the reference.
///
/// Not included are those that need more than one instruction or a peripheral: SLEEP, WDR, BREAK, SPM.
enum AvrEncodings {
  static let all = forms.split(separator: "\n").map { Encoding($0) }

  private static let forms = """
    NOP 0000000000000000
    MOVW 00000001ddddrrrr
    MULS 00000010ddddrrrr
    MULSU 000000110ddd0rrr
    FMUL 000000110ddd1rrr
    FMULS 000000111ddd0rrr
    FMULSU 000000111ddd1rrr
    CPC 000001rdddddrrrr
    SBC 000010rdddddrrrr
    ADD 000011rdddddrrrr
    CPSE 000100rdddddrrrr
    CP 000101rdddddrrrr
    SUB 000110rdddddrrrr
    ADC 000111rdddddrrrr
    AND 001000rdddddrrrr
    EOR 001001rdddddrrrr
    OR 001010rdddddrrrr
    MOV 001011rdddddrrrr
    CPI 0011kkkkddddkkkk
    SBCI 0100kkkkddddkkkk
    SUBI 0101kkkkddddkkkk
    ORI 0110kkkkddddkkkk
    ANDI 0111kkkkddddkkkk
    LDD 10q0qq0dddddyqqq
    STD 10q0qq1dddddyqqq
    LDS 1001000ddddd0000
    LDZ+ 1001000ddddd0001
    LD-Z 1001000ddddd0010
    LPM 1001000ddddd0100
    LPM+ 1001000ddddd0101
    LDY+ 1001000ddddd1001
    LD-Y 1001000ddddd1010
    LDX 1001000ddddd1100
    LDX+ 1001000ddddd1101
    LD-X 1001000ddddd1110
    POP 1001000ddddd1111
    STS 1001001ddddd0000
    STZ+ 1001001ddddd0001
    ST-Z 1001001ddddd0010
    STY+ 1001001ddddd1001
    ST-Y 1001001ddddd1010
    STX 1001001ddddd1100
    STX+ 1001001ddddd1101
    ST-X 1001001ddddd1110
    PUSH 1001001ddddd1111
    COM 1001010ddddd0000
    NEG 1001010ddddd0001
    SWAP 1001010ddddd0010
    INC 1001010ddddd0011
    ASR 1001010ddddd0101
    LSR 1001010ddddd0110
    ROR 1001010ddddd0111
    BSET 100101000sss1000
    BCLR 100101001sss1000
    IJMP 1001010000001001
    RET 1001010100001000
    RETI 1001010100011000
    ICALL 1001010100001001
    LPM0 1001010111001000
    DEC 1001010ddddd1010
    JMP 1001010kkkkk110k
    CALL 1001010kkkkk111k
    ADIW 10010110kkddkkkk
    SBIW 10010111kkddkkkk
    CBI 10011000aaaaabbb
    SBIC 10011001aaaaabbb
    SBI 10011010aaaaabbb
    SBIS 10011011aaaaabbb
    MUL 100111rdddddrrrr
    IN 10110aadddddaaaa
    OUT 10111aarrrrraaaa
    RJMP 1100kkkkkkkkkkkk
    RCALL 1101kkkkkkkkkkkk
    LDI 1110kkkkddddkkkk
    BRBS 111100kkkkkkksss
    BRBC 111101kkkkkkksss
    BLD 1111100ddddd0bbb
    BST 1111101ddddd0bbb
    SBRC 1111110ddddd0bbb
    SBRS 1111111ddddd0bbb
    """
}

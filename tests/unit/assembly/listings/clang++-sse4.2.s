	.text
	.file	"kernels.cc"
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2                               # -- Begin function stencil
.LCPI0_0:
	.long	0x3f000000                      # float 0.5
.LCPI0_1:
	.long	0x3e800000                      # float 0.25
	.text
	.globl	stencil
	.p2align	4, 0x90
	.type	stencil,@function
stencil:                                # @stencil
# %bb.0:
	cmpq	$3, %rdx
	jl	.LBB0_5
# %bb.1:
	movss	(%rdi), %xmm5                   # xmm5 = mem[0],zero,zero,zero
	movss	4(%rdi), %xmm1                  # xmm1 = mem[0],zero,zero,zero
	movl	$1, %r9d
	jne	.LBB0_6
# %bb.2:
	movaps	%xmm1, %xmm4
	movaps	%xmm5, %xmm0
	jmp	.LBB0_3
.LBB0_6:
	leaq	-2(%rdx), %r8
	andq	$-2, %r8
	negq	%r8
	movl	$1, %ecx
	movss	.LCPI0_0(%rip), %xmm2           # xmm2 = mem[0],zero,zero,zero
	movss	.LCPI0_1(%rip), %xmm3           # xmm3 = mem[0],zero,zero,zero
	.p2align	4, 0x90
.LBB0_7:                                # =>This Inner Loop Header: Depth=1
	movss	4(%rdi,%rcx,4), %xmm0           # xmm0 = mem[0],zero,zero,zero
	addss	%xmm0, %xmm5
	movaps	%xmm1, %xmm4
	mulss	%xmm2, %xmm4
	mulss	%xmm3, %xmm5
	addss	%xmm4, %xmm5
	movss	%xmm5, (%rsi,%rcx,4)
	leaq	2(%rcx), %r9
	movss	8(%rdi,%rcx,4), %xmm4           # xmm4 = mem[0],zero,zero,zero
	addss	%xmm4, %xmm1
	movaps	%xmm0, %xmm5
	mulss	%xmm2, %xmm5
	mulss	%xmm3, %xmm1
	addss	%xmm5, %xmm1
	movss	%xmm1, 4(%rsi,%rcx,4)
	leaq	2(%r8,%rcx), %rax
	movaps	%xmm4, %xmm1
	movaps	%xmm0, %xmm5
	movq	%r9, %rcx
	cmpq	$1, %rax
	jne	.LBB0_7
.LBB0_3:
	testb	$1, %dl
	je	.LBB0_5
# %bb.4:
	addss	4(%rdi,%r9,4), %xmm0
	mulss	.LCPI0_0(%rip), %xmm4
	mulss	.LCPI0_1(%rip), %xmm0
	addss	%xmm4, %xmm0
	movss	%xmm0, (%rsi,%r9,4)
.LBB0_5:
	retq
.Lfunc_end0:
	.size	stencil, .Lfunc_end0-stencil
                                        # -- End function
	.globl	product                         # -- Begin function product
	.p2align	4, 0x90
	.type	product,@function
product:                                # @product
# %bb.0:
	pushq	%r14
	pushq	%rbx
	subq	$24, %rsp
	leaq	112(%rsi), %r8
	leaq	240(%rsi), %r9
	leaq	368(%rsi), %r10
	addq	$496, %rsi                      # imm = 0x1F0
	xorl	%r11d, %r11d
	.p2align	4, 0x90
.LBB1_1:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB1_2 Depth 2
                                        #     Child Loop BB1_4 Depth 2
                                        #     Child Loop BB1_6 Depth 2
                                        #     Child Loop BB1_8 Depth 2
	movq	%r11, %r14
	shlq	$6, %r14
	xorps	%xmm0, %xmm0
	movaps	%xmm0, -64(%rsp)                # 16-byte Spill
	movq	%r8, %rcx
	xorl	%ebx, %ebx
	xorpd	%xmm9, %xmm9
	xorpd	%xmm14, %xmm14
	xorpd	%xmm15, %xmm15
	xorps	%xmm3, %xmm3
	xorps	%xmm4, %xmm4
	xorps	%xmm6, %xmm6
	xorps	%xmm7, %xmm7
	.p2align	4, 0x90
.LBB1_2:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	movupd	-112(%rcx), %xmm10
	movupd	-96(%rcx), %xmm11
	movupd	-80(%rcx), %xmm12
	movupd	-64(%rcx), %xmm13
	movddup	(%rdi,%rbx,8), %xmm8            # xmm8 = mem[0,0]
	mulpd	%xmm8, %xmm10
	mulpd	%xmm8, %xmm11
	mulpd	%xmm8, %xmm12
	mulpd	%xmm8, %xmm13
	movupd	-48(%rcx), %xmm0
	mulpd	%xmm8, %xmm0
	movupd	-32(%rcx), %xmm5
	mulpd	%xmm8, %xmm5
	movupd	-16(%rcx), %xmm1
	mulpd	%xmm8, %xmm1
	movupd	(%rcx), %xmm2
	mulpd	%xmm8, %xmm2
	movaps	%xmm7, -112(%rsp)               # 16-byte Spill
	movaps	%xmm6, -96(%rsp)                # 16-byte Spill
	movaps	%xmm4, -80(%rsp)                # 16-byte Spill
	movaps	%xmm3, -128(%rsp)               # 16-byte Spill
	movapd	%xmm15, %xmm8
	movapd	%xmm14, %xmm7
	movapd	%xmm9, %xmm6
	movapd	-64(%rsp), %xmm4                # 16-byte Reload
	movapd	%xmm10, %xmm3
	movapd	%xmm4, (%rsp)                   # 16-byte Spill
	addpd	%xmm4, %xmm3
	movapd	%xmm3, -64(%rsp)                # 16-byte Spill
	movapd	%xmm11, %xmm9
	movapd	%xmm6, -16(%rsp)                # 16-byte Spill
	addpd	%xmm6, %xmm9
	movapd	%xmm12, %xmm14
	movapd	%xmm7, -32(%rsp)                # 16-byte Spill
	addpd	%xmm7, %xmm14
	movapd	%xmm13, %xmm15
	movapd	%xmm8, -48(%rsp)                # 16-byte Spill
	addpd	%xmm8, %xmm15
	movapd	%xmm0, %xmm3
	addpd	-128(%rsp), %xmm3               # 16-byte Folded Reload
	movapd	%xmm5, %xmm4
	addpd	-80(%rsp), %xmm4                # 16-byte Folded Reload
	movapd	%xmm1, %xmm6
	addpd	-96(%rsp), %xmm6                # 16-byte Folded Reload
	movapd	%xmm2, %xmm7
	addpd	-112(%rsp), %xmm7               # 16-byte Folded Reload
	addq	$1, %rbx
	addq	$512, %rcx                      # imm = 0x200
	cmpq	$64, %rbx
	jne	.LBB1_2
# %bb.3:                                #   in Loop: Header=BB1_1 Depth=1
	addpd	-112(%rsp), %xmm2               # 16-byte Folded Reload
	addpd	-96(%rsp), %xmm1                # 16-byte Folded Reload
	addpd	-80(%rsp), %xmm5                # 16-byte Folded Reload
	addpd	-128(%rsp), %xmm0               # 16-byte Folded Reload
	addpd	-48(%rsp), %xmm13               # 16-byte Folded Reload
	addpd	-32(%rsp), %xmm12               # 16-byte Folded Reload
	addpd	-16(%rsp), %xmm11               # 16-byte Folded Reload
	addpd	(%rsp), %xmm10                  # 16-byte Folded Reload
	movupd	%xmm10, (%rdx,%r14,8)
	movupd	%xmm11, 16(%rdx,%r14,8)
	movupd	%xmm12, 32(%rdx,%r14,8)
	movupd	%xmm13, 48(%rdx,%r14,8)
	movupd	%xmm0, 64(%rdx,%r14,8)
	movupd	%xmm5, 80(%rdx,%r14,8)
	movupd	%xmm1, 96(%rdx,%r14,8)
	movupd	%xmm2, 112(%rdx,%r14,8)
	movq	%r14, %rcx
	orq	$16, %rcx
	xorpd	%xmm0, %xmm0
	movapd	%xmm0, -64(%rsp)                # 16-byte Spill
	movq	%r9, %rbx
	xorl	%eax, %eax
	xorpd	%xmm13, %xmm13
	xorpd	%xmm14, %xmm14
	xorpd	%xmm15, %xmm15
	xorpd	%xmm4, %xmm4
	xorpd	%xmm5, %xmm5
	xorpd	%xmm6, %xmm6
	xorpd	%xmm7, %xmm7
	.p2align	4, 0x90
.LBB1_4:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	movupd	-112(%rbx), %xmm12
	movupd	-96(%rbx), %xmm11
	movupd	-80(%rbx), %xmm10
	movupd	-64(%rbx), %xmm9
	movddup	(%rdi,%rax,8), %xmm8            # xmm8 = mem[0,0]
	mulpd	%xmm8, %xmm12
	mulpd	%xmm8, %xmm11
	mulpd	%xmm8, %xmm10
	mulpd	%xmm8, %xmm9
	movupd	-48(%rbx), %xmm0
	mulpd	%xmm8, %xmm0
	movupd	-32(%rbx), %xmm1
	mulpd	%xmm8, %xmm1
	movupd	-16(%rbx), %xmm2
	mulpd	%xmm8, %xmm2
	movupd	(%rbx), %xmm3
	mulpd	%xmm8, %xmm3
	movapd	%xmm7, -112(%rsp)               # 16-byte Spill
	movapd	%xmm6, -96(%rsp)                # 16-byte Spill
	movapd	%xmm5, -80(%rsp)                # 16-byte Spill
	movapd	%xmm4, -128(%rsp)               # 16-byte Spill
	movapd	%xmm15, %xmm8
	movapd	%xmm14, %xmm7
	movapd	%xmm13, %xmm6
	movapd	-64(%rsp), %xmm5                # 16-byte Reload
	movapd	%xmm12, %xmm4
	movapd	%xmm5, (%rsp)                   # 16-byte Spill
	addpd	%xmm5, %xmm4
	movapd	%xmm4, -64(%rsp)                # 16-byte Spill
	movapd	%xmm11, %xmm13
	movapd	%xmm6, -16(%rsp)                # 16-byte Spill
	addpd	%xmm6, %xmm13
	movapd	%xmm10, %xmm14
	movapd	%xmm7, -32(%rsp)                # 16-byte Spill
	addpd	%xmm7, %xmm14
	movapd	%xmm9, %xmm15
	movapd	%xmm8, -48(%rsp)                # 16-byte Spill
	addpd	%xmm8, %xmm15
	movapd	%xmm0, %xmm4
	addpd	-128(%rsp), %xmm4               # 16-byte Folded Reload
	movapd	%xmm1, %xmm5
	addpd	-80(%rsp), %xmm5                # 16-byte Folded Reload
	movapd	%xmm2, %xmm6
	addpd	-96(%rsp), %xmm6                # 16-byte Folded Reload
	movapd	%xmm3, %xmm7
	addpd	-112(%rsp), %xmm7               # 16-byte Folded Reload
	addq	$1, %rax
	addq	$512, %rbx                      # imm = 0x200
	cmpq	$64, %rax
	jne	.LBB1_4
# %bb.5:                                #   in Loop: Header=BB1_1 Depth=1
	addpd	-112(%rsp), %xmm3               # 16-byte Folded Reload
	addpd	-96(%rsp), %xmm2                # 16-byte Folded Reload
	addpd	-80(%rsp), %xmm1                # 16-byte Folded Reload
	addpd	-128(%rsp), %xmm0               # 16-byte Folded Reload
	addpd	-48(%rsp), %xmm9                # 16-byte Folded Reload
	addpd	-32(%rsp), %xmm10               # 16-byte Folded Reload
	addpd	-16(%rsp), %xmm11               # 16-byte Folded Reload
	addpd	(%rsp), %xmm12                  # 16-byte Folded Reload
	movupd	%xmm12, (%rdx,%rcx,8)
	movupd	%xmm11, 16(%rdx,%rcx,8)
	movupd	%xmm10, 32(%rdx,%rcx,8)
	movupd	%xmm9, 48(%rdx,%rcx,8)
	movupd	%xmm0, 64(%rdx,%rcx,8)
	movupd	%xmm1, 80(%rdx,%rcx,8)
	movupd	%xmm2, 96(%rdx,%rcx,8)
	movupd	%xmm3, 112(%rdx,%rcx,8)
	movq	%r14, %rcx
	orq	$32, %rcx
	xorpd	%xmm0, %xmm0
	movapd	%xmm0, -64(%rsp)                # 16-byte Spill
	movq	%r10, %rbx
	xorl	%eax, %eax
	xorpd	%xmm13, %xmm13
	xorpd	%xmm14, %xmm14
	xorpd	%xmm15, %xmm15
	xorpd	%xmm4, %xmm4
	xorpd	%xmm5, %xmm5
	xorpd	%xmm6, %xmm6
	xorpd	%xmm7, %xmm7
	.p2align	4, 0x90
.LBB1_6:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	movupd	-112(%rbx), %xmm12
	movupd	-96(%rbx), %xmm11
	movupd	-80(%rbx), %xmm10
	movupd	-64(%rbx), %xmm9
	movddup	(%rdi,%rax,8), %xmm8            # xmm8 = mem[0,0]
	mulpd	%xmm8, %xmm12
	mulpd	%xmm8, %xmm11
	mulpd	%xmm8, %xmm10
	mulpd	%xmm8, %xmm9
	movupd	-48(%rbx), %xmm0
	mulpd	%xmm8, %xmm0
	movupd	-32(%rbx), %xmm1
	mulpd	%xmm8, %xmm1
	movupd	-16(%rbx), %xmm2
	mulpd	%xmm8, %xmm2
	movupd	(%rbx), %xmm3
	mulpd	%xmm8, %xmm3
	movapd	%xmm7, -112(%rsp)               # 16-byte Spill
	movapd	%xmm6, -96(%rsp)                # 16-byte Spill
	movapd	%xmm5, -80(%rsp)                # 16-byte Spill
	movapd	%xmm4, -128(%rsp)               # 16-byte Spill
	movapd	%xmm15, %xmm8
	movapd	%xmm14, %xmm7
	movapd	%xmm13, %xmm6
	movapd	-64(%rsp), %xmm5                # 16-byte Reload
	movapd	%xmm12, %xmm4
	movapd	%xmm5, (%rsp)                   # 16-byte Spill
	addpd	%xmm5, %xmm4
	movapd	%xmm4, -64(%rsp)                # 16-byte Spill
	movapd	%xmm11, %xmm13
	movapd	%xmm6, -16(%rsp)                # 16-byte Spill
	addpd	%xmm6, %xmm13
	movapd	%xmm10, %xmm14
	movapd	%xmm7, -32(%rsp)                # 16-byte Spill
	addpd	%xmm7, %xmm14
	movapd	%xmm9, %xmm15
	movapd	%xmm8, -48(%rsp)                # 16-byte Spill
	addpd	%xmm8, %xmm15
	movapd	%xmm0, %xmm4
	addpd	-128(%rsp), %xmm4               # 16-byte Folded Reload
	movapd	%xmm1, %xmm5
	addpd	-80(%rsp), %xmm5                # 16-byte Folded Reload
	movapd	%xmm2, %xmm6
	addpd	-96(%rsp), %xmm6                # 16-byte Folded Reload
	movapd	%xmm3, %xmm7
	addpd	-112(%rsp), %xmm7               # 16-byte Folded Reload
	addq	$1, %rax
	addq	$512, %rbx                      # imm = 0x200
	cmpq	$64, %rax
	jne	.LBB1_6
# %bb.7:                                #   in Loop: Header=BB1_1 Depth=1
	addpd	-112(%rsp), %xmm3               # 16-byte Folded Reload
	addpd	-96(%rsp), %xmm2                # 16-byte Folded Reload
	addpd	-80(%rsp), %xmm1                # 16-byte Folded Reload
	addpd	-128(%rsp), %xmm0               # 16-byte Folded Reload
	addpd	-48(%rsp), %xmm9                # 16-byte Folded Reload
	addpd	-32(%rsp), %xmm10               # 16-byte Folded Reload
	addpd	-16(%rsp), %xmm11               # 16-byte Folded Reload
	addpd	(%rsp), %xmm12                  # 16-byte Folded Reload
	movupd	%xmm12, (%rdx,%rcx,8)
	movupd	%xmm11, 16(%rdx,%rcx,8)
	movupd	%xmm10, 32(%rdx,%rcx,8)
	movupd	%xmm9, 48(%rdx,%rcx,8)
	movupd	%xmm0, 64(%rdx,%rcx,8)
	movupd	%xmm1, 80(%rdx,%rcx,8)
	movupd	%xmm2, 96(%rdx,%rcx,8)
	movupd	%xmm3, 112(%rdx,%rcx,8)
	orq	$48, %r14
	xorpd	%xmm0, %xmm0
	movapd	%xmm0, -64(%rsp)                # 16-byte Spill
	movq	%rsi, %rcx
	xorl	%eax, %eax
	xorpd	%xmm13, %xmm13
	xorpd	%xmm14, %xmm14
	xorpd	%xmm15, %xmm15
	xorpd	%xmm4, %xmm4
	xorpd	%xmm5, %xmm5
	xorpd	%xmm6, %xmm6
	xorpd	%xmm7, %xmm7
	.p2align	4, 0x90
.LBB1_8:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	movupd	-112(%rcx), %xmm12
	movupd	-96(%rcx), %xmm11
	movupd	-80(%rcx), %xmm10
	movupd	-64(%rcx), %xmm9
	movddup	(%rdi,%rax,8), %xmm8            # xmm8 = mem[0,0]
	mulpd	%xmm8, %xmm12
	mulpd	%xmm8, %xmm11
	mulpd	%xmm8, %xmm10
	mulpd	%xmm8, %xmm9
	movupd	-48(%rcx), %xmm0
	mulpd	%xmm8, %xmm0
	movupd	-32(%rcx), %xmm1
	mulpd	%xmm8, %xmm1
	movupd	-16(%rcx), %xmm2
	mulpd	%xmm8, %xmm2
	movupd	(%rcx), %xmm3
	mulpd	%xmm8, %xmm3
	movapd	%xmm7, -112(%rsp)               # 16-byte Spill
	movapd	%xmm6, -96(%rsp)                # 16-byte Spill
	movapd	%xmm5, -80(%rsp)                # 16-byte Spill
	movapd	%xmm4, -128(%rsp)               # 16-byte Spill
	movapd	%xmm15, %xmm8
	movapd	%xmm14, %xmm7
	movapd	%xmm13, %xmm6
	movapd	-64(%rsp), %xmm5                # 16-byte Reload
	movapd	%xmm12, %xmm4
	movapd	%xmm5, (%rsp)                   # 16-byte Spill
	addpd	%xmm5, %xmm4
	movapd	%xmm4, -64(%rsp)                # 16-byte Spill
	movapd	%xmm11, %xmm13
	movapd	%xmm6, -16(%rsp)                # 16-byte Spill
	addpd	%xmm6, %xmm13
	movapd	%xmm10, %xmm14
	movapd	%xmm7, -32(%rsp)                # 16-byte Spill
	addpd	%xmm7, %xmm14
	movapd	%xmm9, %xmm15
	movapd	%xmm8, -48(%rsp)                # 16-byte Spill
	addpd	%xmm8, %xmm15
	movapd	%xmm0, %xmm4
	addpd	-128(%rsp), %xmm4               # 16-byte Folded Reload
	movapd	%xmm1, %xmm5
	addpd	-80(%rsp), %xmm5                # 16-byte Folded Reload
	movapd	%xmm2, %xmm6
	addpd	-96(%rsp), %xmm6                # 16-byte Folded Reload
	movapd	%xmm3, %xmm7
	addpd	-112(%rsp), %xmm7               # 16-byte Folded Reload
	addq	$1, %rax
	addq	$512, %rcx                      # imm = 0x200
	cmpq	$64, %rax
	jne	.LBB1_8
# %bb.9:                                #   in Loop: Header=BB1_1 Depth=1
	addpd	-112(%rsp), %xmm3               # 16-byte Folded Reload
	addpd	-96(%rsp), %xmm2                # 16-byte Folded Reload
	addpd	-80(%rsp), %xmm1                # 16-byte Folded Reload
	addpd	-128(%rsp), %xmm0               # 16-byte Folded Reload
	addpd	-48(%rsp), %xmm9                # 16-byte Folded Reload
	addpd	-32(%rsp), %xmm10               # 16-byte Folded Reload
	addpd	-16(%rsp), %xmm11               # 16-byte Folded Reload
	addpd	(%rsp), %xmm12                  # 16-byte Folded Reload
	movupd	%xmm12, (%rdx,%r14,8)
	movupd	%xmm11, 16(%rdx,%r14,8)
	movupd	%xmm10, 32(%rdx,%r14,8)
	movupd	%xmm9, 48(%rdx,%r14,8)
	movupd	%xmm0, 64(%rdx,%r14,8)
	movupd	%xmm1, 80(%rdx,%r14,8)
	movupd	%xmm2, 96(%rdx,%r14,8)
	movupd	%xmm3, 112(%rdx,%r14,8)
	addq	$1, %r11
	addq	$512, %rdi                      # imm = 0x200
	cmpq	$64, %r11
	jne	.LBB1_1
# %bb.10:
	addq	$24, %rsp
	popq	%rbx
	popq	%r14
	retq
.Lfunc_end1:
	.size	product, .Lfunc_end1-product
                                        # -- End function
	.globl	sum                             # -- Begin function sum
	.p2align	4, 0x90
	.type	sum,@function
sum:                                    # @sum
# %bb.0:
	testq	%rsi, %rsi
	jle	.LBB2_1
# %bb.2:
	leaq	-1(%rsi), %rcx
	movl	%esi, %eax
	andl	$7, %eax
	cmpq	$7, %rcx
	jae	.LBB2_8
# %bb.3:
	xorps	%xmm0, %xmm0
	xorl	%ecx, %ecx
	jmp	.LBB2_4
.LBB2_1:
	xorps	%xmm0, %xmm0
	retq
.LBB2_8:
	andq	$-8, %rsi
	xorps	%xmm0, %xmm0
	xorl	%ecx, %ecx
	.p2align	4, 0x90
.LBB2_9:                                # =>This Inner Loop Header: Depth=1
	addss	(%rdi,%rcx,4), %xmm0
	addss	4(%rdi,%rcx,4), %xmm0
	addss	8(%rdi,%rcx,4), %xmm0
	addss	12(%rdi,%rcx,4), %xmm0
	addss	16(%rdi,%rcx,4), %xmm0
	addss	20(%rdi,%rcx,4), %xmm0
	addss	24(%rdi,%rcx,4), %xmm0
	addss	28(%rdi,%rcx,4), %xmm0
	addq	$8, %rcx
	cmpq	%rcx, %rsi
	jne	.LBB2_9
.LBB2_4:
	testq	%rax, %rax
	je	.LBB2_7
# %bb.5:
	leaq	(%rdi,%rcx,4), %rcx
	xorl	%edx, %edx
	.p2align	4, 0x90
.LBB2_6:                                # =>This Inner Loop Header: Depth=1
	addss	(%rcx,%rdx,4), %xmm0
	addq	$1, %rdx
	cmpq	%rdx, %rax
	jne	.LBB2_6
.LBB2_7:
	retq
.Lfunc_end2:
	.size	sum, .Lfunc_end2-sum
                                        # -- End function
	.globl	spill                           # -- Begin function spill
	.p2align	4, 0x90
	.type	spill,@function
spill:                                  # @spill
# %bb.0:
	subq	$104, %rsp
	testq	%rcx, %rcx
	jle	.LBB3_1
# %bb.2:
	addq	$48, %rsi
	addq	$64, %rdi
	xorps	%xmm12, %xmm12
	xorps	%xmm1, %xmm1
	xorps	%xmm14, %xmm14
	xorps	%xmm15, %xmm15
	xorps	%xmm2, %xmm2
	movaps	%xmm2, -32(%rsp)                # 16-byte Spill
	xorps	%xmm2, %xmm2
	movaps	%xmm2, -48(%rsp)                # 16-byte Spill
	xorps	%xmm2, %xmm2
	movaps	%xmm2, -64(%rsp)                # 16-byte Spill
	xorps	%xmm8, %xmm8
	xorps	%xmm4, %xmm4
	xorps	%xmm2, %xmm2
	xorps	%xmm3, %xmm3
	xorps	%xmm9, %xmm9
	xorps	%xmm5, %xmm5
	movaps	%xmm5, -96(%rsp)                # 16-byte Spill
	xorps	%xmm0, %xmm0
	movaps	%xmm0, -128(%rsp)               # 16-byte Spill
	xorps	%xmm11, %xmm11
	xorps	%xmm7, %xmm7
	xorps	%xmm5, %xmm5
	xorps	%xmm6, %xmm6
	movaps	%xmm6, -80(%rsp)                # 16-byte Spill
	xorps	%xmm6, %xmm6
	xorps	%xmm0, %xmm0
	movaps	%xmm0, -112(%rsp)               # 16-byte Spill
	.p2align	4, 0x90
.LBB3_3:                                # =>This Inner Loop Header: Depth=1
	movaps	%xmm14, -16(%rsp)               # 16-byte Spill
	movaps	%xmm12, (%rsp)                  # 16-byte Spill
	movaps	%xmm15, 16(%rsp)                # 16-byte Spill
	movaps	%xmm1, 80(%rsp)                 # 16-byte Spill
	movaps	-48(%rsi), %xmm15
	movaps	-32(%rsi), %xmm14
	movaps	-16(%rsi), %xmm13
	movaps	(%rsi), %xmm12
	movaps	-64(%rdi), %xmm1
	movaps	%xmm1, %xmm0
	mulps	%xmm15, %xmm0
	movaps	-112(%rsp), %xmm10              # 16-byte Reload
	addps	%xmm0, %xmm10
	movaps	%xmm10, -112(%rsp)              # 16-byte Spill
	movaps	%xmm1, %xmm0
	mulps	%xmm14, %xmm0
	addps	%xmm0, %xmm6
	movaps	%xmm6, 32(%rsp)                 # 16-byte Spill
	movaps	%xmm1, %xmm0
	mulps	%xmm13, %xmm0
	movaps	-80(%rsp), %xmm6                # 16-byte Reload
	addps	%xmm0, %xmm6
	movaps	%xmm6, -80(%rsp)                # 16-byte Spill
	movaps	-48(%rdi), %xmm0
	mulps	%xmm12, %xmm1
	addps	%xmm1, %xmm5
	movaps	%xmm5, 48(%rsp)                 # 16-byte Spill
	movaps	%xmm0, %xmm1
	mulps	%xmm15, %xmm1
	addps	%xmm1, %xmm7
	movaps	%xmm7, 64(%rsp)                 # 16-byte Spill
	movaps	%xmm0, %xmm1
	mulps	%xmm14, %xmm1
	addps	%xmm1, %xmm11
	movaps	%xmm0, %xmm1
	mulps	%xmm13, %xmm1
	movaps	-128(%rsp), %xmm5               # 16-byte Reload
	addps	%xmm1, %xmm5
	movaps	%xmm5, -128(%rsp)               # 16-byte Spill
	movaps	-32(%rdi), %xmm1
	mulps	%xmm12, %xmm0
	movaps	-96(%rsp), %xmm5                # 16-byte Reload
	addps	%xmm0, %xmm5
	movaps	%xmm5, -96(%rsp)                # 16-byte Spill
	movaps	%xmm1, %xmm0
	mulps	%xmm15, %xmm0
	addps	%xmm0, %xmm9
	movaps	%xmm1, %xmm0
	mulps	%xmm14, %xmm0
	addps	%xmm0, %xmm3
	movaps	%xmm1, %xmm0
	mulps	%xmm13, %xmm0
	addps	%xmm0, %xmm2
	movaps	-16(%rdi), %xmm0
	mulps	%xmm12, %xmm1
	addps	%xmm1, %xmm4
	movaps	%xmm0, %xmm1
	mulps	%xmm15, %xmm1
	addps	%xmm1, %xmm8
	movaps	%xmm0, %xmm1
	mulps	%xmm14, %xmm1
	movaps	-64(%rsp), %xmm7                # 16-byte Reload
	addps	%xmm1, %xmm7
	movaps	%xmm7, -64(%rsp)                # 16-byte Spill
	movaps	%xmm0, %xmm1
	mulps	%xmm13, %xmm1
	movaps	-48(%rsp), %xmm7                # 16-byte Reload
	addps	%xmm1, %xmm7
	movaps	%xmm7, -48(%rsp)                # 16-byte Spill
	movaps	80(%rsp), %xmm1                 # 16-byte Reload
	mulps	%xmm12, %xmm0
	movaps	-32(%rsp), %xmm5                # 16-byte Reload
	addps	%xmm0, %xmm5
	movaps	%xmm5, -32(%rsp)                # 16-byte Spill
	movaps	(%rdi), %xmm0
	mulps	%xmm0, %xmm15
	movaps	16(%rsp), %xmm6                 # 16-byte Reload
	addps	%xmm15, %xmm6
	movaps	%xmm6, 16(%rsp)                 # 16-byte Spill
	movaps	16(%rsp), %xmm15                # 16-byte Reload
	mulps	%xmm0, %xmm14
	movaps	-16(%rsp), %xmm6                # 16-byte Reload
	addps	%xmm14, %xmm6
	movaps	%xmm6, -16(%rsp)                # 16-byte Spill
	movaps	-16(%rsp), %xmm14               # 16-byte Reload
	mulps	%xmm0, %xmm13
	addps	%xmm13, %xmm1
	mulps	%xmm12, %xmm0
	movaps	(%rsp), %xmm6                   # 16-byte Reload
	addps	%xmm0, %xmm6
	movaps	%xmm6, (%rsp)                   # 16-byte Spill
	movaps	32(%rsp), %xmm6                 # 16-byte Reload
	movaps	64(%rsp), %xmm7                 # 16-byte Reload
	movaps	48(%rsp), %xmm5                 # 16-byte Reload
	movaps	(%rsp), %xmm12                  # 16-byte Reload
	addq	$64, %rsi
	addq	$80, %rdi
	addq	$-1, %rcx
	jne	.LBB3_3
	jmp	.LBB3_4
.LBB3_1:
	xorps	%xmm12, %xmm12
	xorps	%xmm1, %xmm1
	xorps	%xmm14, %xmm14
	xorps	%xmm15, %xmm15
	xorps	%xmm2, %xmm2
	movaps	%xmm2, -32(%rsp)                # 16-byte Spill
	xorps	%xmm2, %xmm2
	movaps	%xmm2, -48(%rsp)                # 16-byte Spill
	xorps	%xmm2, %xmm2
	movaps	%xmm2, -64(%rsp)                # 16-byte Spill
	xorps	%xmm8, %xmm8
	xorps	%xmm4, %xmm4
	xorps	%xmm2, %xmm2
	xorps	%xmm3, %xmm3
	xorps	%xmm9, %xmm9
	xorps	%xmm5, %xmm5
	movaps	%xmm5, -96(%rsp)                # 16-byte Spill
	xorps	%xmm0, %xmm0
	movaps	%xmm0, -128(%rsp)               # 16-byte Spill
	xorps	%xmm11, %xmm11
	xorps	%xmm7, %xmm7
	xorps	%xmm5, %xmm5
	xorps	%xmm6, %xmm6
	movaps	%xmm6, -80(%rsp)                # 16-byte Spill
	xorps	%xmm6, %xmm6
	xorps	%xmm0, %xmm0
	movaps	%xmm0, -112(%rsp)               # 16-byte Spill
.LBB3_4:
	movaps	-112(%rsp), %xmm0               # 16-byte Reload
	movaps	%xmm0, (%rdx)
	movaps	%xmm6, 16(%rdx)
	movaps	-80(%rsp), %xmm6                # 16-byte Reload
	movaps	%xmm6, 32(%rdx)
	movaps	%xmm5, 48(%rdx)
	movaps	%xmm7, 64(%rdx)
	movaps	%xmm11, 80(%rdx)
	movaps	-128(%rsp), %xmm0               # 16-byte Reload
	movaps	%xmm0, 96(%rdx)
	movaps	-96(%rsp), %xmm5                # 16-byte Reload
	movaps	%xmm5, 112(%rdx)
	movaps	%xmm9, 128(%rdx)
	movaps	%xmm3, 144(%rdx)
	movaps	%xmm2, 160(%rdx)
	movaps	%xmm4, 176(%rdx)
	movaps	%xmm8, 192(%rdx)
	movaps	-64(%rsp), %xmm2                # 16-byte Reload
	movaps	%xmm2, 208(%rdx)
	movaps	-48(%rsp), %xmm2                # 16-byte Reload
	movaps	%xmm2, 224(%rdx)
	movaps	-32(%rsp), %xmm2                # 16-byte Reload
	movaps	%xmm2, 240(%rdx)
	movaps	%xmm15, 256(%rdx)
	movaps	%xmm14, 272(%rdx)
	movaps	%xmm1, 288(%rdx)
	movaps	%xmm12, 304(%rdx)
	addq	$104, %rsp
	retq
.Lfunc_end3:
	.size	spill, .Lfunc_end3-spill
                                        # -- End function
	.globl	peeled                          # -- Begin function peeled
	.p2align	4, 0x90
	.type	peeled,@function
peeled:                                 # @peeled
# %bb.0:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$200, %rsp
	movq	%rdi, -120(%rsp)                # 8-byte Spill
	leaq	448(%rdi), %rax
	xorl	%ecx, %ecx
	xorps	%xmm9, %xmm9
	xorps	%xmm8, %xmm8
	movq	%rdx, -112(%rsp)                # 8-byte Spill
	movq	%rdx, %rdi
	jmp	.LBB4_1
	.p2align	4, 0x90
.LBB4_8:                                #   in Loop: Header=BB4_1 Depth=1
	movq	-72(%rsp), %rcx                 # 8-byte Reload
	addq	$1, %rcx
	movq	-80(%rsp), %rdi                 # 8-byte Reload
	addq	$512, %rdi                      # imm = 0x200
	addq	$512, %rax                      # imm = 0x200
	cmpq	$8, %rcx
	je	.LBB4_9
.LBB4_1:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB4_2 Depth 2
                                        #       Child Loop BB4_5 Depth 3
	movq	%rcx, %rbp
	shlq	$7, %rbp
	leaq	16(%rbp), %rdx
	movq	%rdx, -104(%rsp)                # 8-byte Spill
	movq	%rcx, -72(%rsp)                 # 8-byte Spill
	shlq	$9, %rcx
	movq	-120(%rsp), %rdx                # 8-byte Reload
	leaq	(%rdx,%rcx), %rbx
	movq	%rbx, 184(%rsp)                 # 8-byte Spill
	addq	%rdx, %rcx
	addq	$512, %rcx                      # imm = 0x200
	movq	%rcx, 176(%rsp)                 # 8-byte Spill
	leaq	32(%rbp), %rcx
	movq	%rcx, 168(%rsp)                 # 8-byte Spill
	leaq	48(%rbp), %rcx
	movq	%rcx, 160(%rsp)                 # 8-byte Spill
	leaq	64(%rbp), %rcx
	movq	%rcx, 152(%rsp)                 # 8-byte Spill
	leaq	80(%rbp), %rcx
	movq	%rcx, 144(%rsp)                 # 8-byte Spill
	leaq	96(%rbp), %rcx
	movq	%rcx, 136(%rsp)                 # 8-byte Spill
	leaq	112(%rbp), %rcx
	movq	%rcx, 128(%rsp)                 # 8-byte Spill
	leaq	4(%rbp), %rcx
	movq	%rcx, 120(%rsp)                 # 8-byte Spill
	leaq	20(%rbp), %rcx
	movq	%rcx, 112(%rsp)                 # 8-byte Spill
	leaq	36(%rbp), %rcx
	movq	%rcx, 104(%rsp)                 # 8-byte Spill
	leaq	52(%rbp), %rcx
	movq	%rcx, 96(%rsp)                  # 8-byte Spill
	leaq	68(%rbp), %rcx
	movq	%rcx, 88(%rsp)                  # 8-byte Spill
	leaq	84(%rbp), %rcx
	movq	%rcx, 80(%rsp)                  # 8-byte Spill
	leaq	100(%rbp), %rcx
	movq	%rcx, 72(%rsp)                  # 8-byte Spill
	leaq	116(%rbp), %rcx
	movq	%rcx, 64(%rsp)                  # 8-byte Spill
	leaq	8(%rbp), %rcx
	movq	%rcx, 56(%rsp)                  # 8-byte Spill
	leaq	24(%rbp), %rcx
	movq	%rcx, 48(%rsp)                  # 8-byte Spill
	leaq	40(%rbp), %rcx
	movq	%rcx, 40(%rsp)                  # 8-byte Spill
	leaq	56(%rbp), %rcx
	movq	%rcx, 32(%rsp)                  # 8-byte Spill
	leaq	72(%rbp), %rcx
	movq	%rcx, 24(%rsp)                  # 8-byte Spill
	leaq	88(%rbp), %rcx
	movq	%rcx, 16(%rsp)                  # 8-byte Spill
	leaq	104(%rbp), %rcx
	movq	%rcx, 8(%rsp)                   # 8-byte Spill
	leaq	120(%rbp), %rcx
	movq	%rcx, (%rsp)                    # 8-byte Spill
	leaq	12(%rbp), %rcx
	movq	%rcx, -8(%rsp)                  # 8-byte Spill
	leaq	28(%rbp), %rcx
	movq	%rcx, -16(%rsp)                 # 8-byte Spill
	leaq	44(%rbp), %rcx
	movq	%rcx, -24(%rsp)                 # 8-byte Spill
	leaq	60(%rbp), %rcx
	movq	%rcx, -32(%rsp)                 # 8-byte Spill
	leaq	76(%rbp), %rcx
	movq	%rcx, -40(%rsp)                 # 8-byte Spill
	leaq	92(%rbp), %rcx
	movq	%rcx, -48(%rsp)                 # 8-byte Spill
	leaq	108(%rbp), %rcx
	movq	%rcx, -56(%rsp)                 # 8-byte Spill
	movq	%rbp, %rcx
	movq	%rbp, -96(%rsp)                 # 8-byte Spill
	leaq	124(%rbp), %rcx
	movq	%rcx, -64(%rsp)                 # 8-byte Spill
	movq	%rdi, -80(%rsp)                 # 8-byte Spill
	movq	%rdi, %rdx
	xorl	%ebx, %ebx
	jmp	.LBB4_2
	.p2align	4, 0x90
.LBB4_6:                                #   in Loop: Header=BB4_2 Depth=2
	movq	-120(%rsp), %rbx                # 8-byte Reload
	movq	-96(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%rcx,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm8, %xmm3
	movq	-104(%rsp), %rdx                # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r10,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	168(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r13,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	160(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r11,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	152(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r14,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	144(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r15,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	136(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r9,4), %xmm3             # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	128(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%rdi,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	-112(%rsp), %r8                 # 8-byte Reload
	movq	192(%rsp), %rbp                 # 8-byte Reload
	movups	%xmm4, (%r8,%rbp,4)
	shlq	$2, %rbp
	movq	120(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%rcx,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm8, %xmm3
	movq	112(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r10,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	104(%rsp), %rdx                 # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r13,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	96(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r11,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	88(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r14,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	80(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r15,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	72(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r9,4), %xmm3             # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	64(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%rdi,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	%rbp, %rdx
	orq	$16, %rdx
	movups	%xmm4, (%r8,%rdx)
	movq	56(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%rcx,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm8, %xmm3
	movq	48(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r10,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	40(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r13,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	32(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r11,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	24(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r14,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	16(%rsp), %rdx                  # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r15,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	8(%rsp), %rdx                   # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%r9,4), %xmm3             # xmm3 = mem[0],zero,zero,zero
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm2, %xmm3
	addps	%xmm4, %xmm3
	movq	(%rsp), %rdx                    # 8-byte Reload
	movups	(%rbx,%rdx,4), %xmm2
	movss	(%rsi,%rdi,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	%rbp, %rdx
	orq	$32, %rdx
	movups	%xmm4, (%r8,%rdx)
	movss	(%rsi,%rcx,4), %xmm2            # xmm2 = mem[0],zero,zero,zero
	movss	(%rsi,%r10,4), %xmm3            # xmm3 = mem[0],zero,zero,zero
	movss	(%rsi,%r13,4), %xmm4            # xmm4 = mem[0],zero,zero,zero
	movss	(%rsi,%r11,4), %xmm5            # xmm5 = mem[0],zero,zero,zero
	movss	(%rsi,%r14,4), %xmm6            # xmm6 = mem[0],zero,zero,zero
	movss	(%rsi,%r15,4), %xmm7            # xmm7 = mem[0],zero,zero,zero
	movss	(%rsi,%r9,4), %xmm1             # xmm1 = mem[0],zero,zero,zero
	movss	(%rsi,%rdi,4), %xmm0            # xmm0 = mem[0],zero,zero,zero
	movq	-8(%rsp), %rcx                  # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm10
	shufps	$0, %xmm2, %xmm2                # xmm2 = xmm2[0,0,0,0]
	mulps	%xmm10, %xmm2
	movq	-16(%rsp), %rcx                 # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm10
	shufps	$0, %xmm3, %xmm3                # xmm3 = xmm3[0,0,0,0]
	mulps	%xmm10, %xmm3
	addps	%xmm8, %xmm2
	addps	%xmm2, %xmm3
	movq	-24(%rsp), %rcx                 # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm2
	shufps	$0, %xmm4, %xmm4                # xmm4 = xmm4[0,0,0,0]
	mulps	%xmm2, %xmm4
	addps	%xmm3, %xmm4
	movq	-32(%rsp), %rcx                 # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm2
	shufps	$0, %xmm5, %xmm5                # xmm5 = xmm5[0,0,0,0]
	mulps	%xmm2, %xmm5
	addps	%xmm4, %xmm5
	movq	-40(%rsp), %rcx                 # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm2
	shufps	$0, %xmm6, %xmm6                # xmm6 = xmm6[0,0,0,0]
	mulps	%xmm2, %xmm6
	addps	%xmm5, %xmm6
	movq	-48(%rsp), %rcx                 # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm2
	shufps	$0, %xmm7, %xmm7                # xmm7 = xmm7[0,0,0,0]
	mulps	%xmm2, %xmm7
	addps	%xmm6, %xmm7
	movq	-56(%rsp), %rcx                 # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm2
	shufps	$0, %xmm1, %xmm1                # xmm1 = xmm1[0,0,0,0]
	mulps	%xmm2, %xmm1
	addps	%xmm7, %xmm1
	movq	-64(%rsp), %rcx                 # 8-byte Reload
	movups	(%rbx,%rcx,4), %xmm2
	movq	-128(%rsp), %rbx                # 8-byte Reload
	shufps	$0, %xmm0, %xmm0                # xmm0 = xmm0[0,0,0,0]
	mulps	%xmm2, %xmm0
	addps	%xmm1, %xmm0
	orq	$48, %rbp
	movups	%xmm0, (%r8,%rbp)
	movq	-88(%rsp), %rdx                 # 8-byte Reload
.LBB4_7:                                #   in Loop: Header=BB4_2 Depth=2
	addq	$1, %rbx
	addq	$64, %rdx
	cmpq	$8, %rbx
	je	.LBB4_8
.LBB4_2:                                #   Parent Loop BB4_1 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB4_5 Depth 3
	movq	%rbx, -128(%rsp)                # 8-byte Spill
	movq	%rdx, -88(%rsp)                 # 8-byte Spill
	movq	%rbx, %rcx
	shlq	$4, %rcx
	movq	-96(%rsp), %rdx                 # 8-byte Reload
	addq	%rcx, %rdx
	movq	-112(%rsp), %rdi                # 8-byte Reload
	movq	%rdx, 192(%rsp)                 # 8-byte Spill
	leaq	(%rdi,%rdx,4), %rdx
	addq	-104(%rsp), %rcx                # 8-byte Folded Reload
	leaq	(%rdi,%rcx,4), %rbx
	movq	-128(%rsp), %rcx                # 8-byte Reload
	leaq	(,%rcx,8), %rcx
	movq	-128(%rsp), %rdi                # 8-byte Reload
	leaq	1(,%rdi,8), %r10
	movq	-128(%rsp), %rdi                # 8-byte Reload
	leaq	2(,%rdi,8), %r13
	movq	-128(%rsp), %rdi                # 8-byte Reload
	leaq	3(,%rdi,8), %r11
	movq	-128(%rsp), %rdi                # 8-byte Reload
	leaq	4(,%rdi,8), %r14
	movq	-128(%rsp), %rdi                # 8-byte Reload
	shlq	$5, %rdi
	leaq	(%rsi,%rdi), %rbp
	addq	$32, %rbp
	addq	%rsi, %rdi
	cmpq	176(%rsp), %rdx                 # 8-byte Folded Reload
	setb	%r12b
	cmpq	%rbx, 184(%rsp)                 # 8-byte Folded Reload
	setb	%r8b
	cmpq	%rbp, %rdx
	movq	-128(%rsp), %rdx                # 8-byte Reload
	leaq	5(,%rdx,8), %r15
	setb	%bpl
	cmpq	%rbx, %rdi
	movq	-128(%rsp), %rbx                # 8-byte Reload
	leaq	6(,%rbx,8), %r9
	leaq	7(,%rbx,8), %rdi
	setb	%dl
	testb	%r8b, %r12b
	jne	.LBB4_4
# %bb.3:                                #   in Loop: Header=BB4_2 Depth=2
	andb	%dl, %bpl
	je	.LBB4_6
.LBB4_4:                                #   in Loop: Header=BB4_2 Depth=2
	xorl	%ebp, %ebp
	movq	-88(%rsp), %rdx                 # 8-byte Reload
	.p2align	4, 0x90
.LBB4_5:                                #   Parent Loop BB4_1 Depth=1
                                        #     Parent Loop BB4_2 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	movss	-448(%rax,%rbp,4), %xmm0        # xmm0 = mem[0],zero,zero,zero
	mulss	(%rsi,%rcx,4), %xmm0
	movss	-384(%rax,%rbp,4), %xmm1        # xmm1 = mem[0],zero,zero,zero
	addss	%xmm9, %xmm0
	mulss	(%rsi,%r10,4), %xmm1
	addss	%xmm0, %xmm1
	movss	-320(%rax,%rbp,4), %xmm0        # xmm0 = mem[0],zero,zero,zero
	mulss	(%rsi,%r13,4), %xmm0
	addss	%xmm1, %xmm0
	movss	-256(%rax,%rbp,4), %xmm1        # xmm1 = mem[0],zero,zero,zero
	mulss	(%rsi,%r11,4), %xmm1
	addss	%xmm0, %xmm1
	movss	-192(%rax,%rbp,4), %xmm0        # xmm0 = mem[0],zero,zero,zero
	mulss	(%rsi,%r14,4), %xmm0
	addss	%xmm1, %xmm0
	movss	-128(%rax,%rbp,4), %xmm1        # xmm1 = mem[0],zero,zero,zero
	mulss	(%rsi,%r15,4), %xmm1
	addss	%xmm0, %xmm1
	movss	-64(%rax,%rbp,4), %xmm0         # xmm0 = mem[0],zero,zero,zero
	mulss	(%rsi,%r9,4), %xmm0
	addss	%xmm1, %xmm0
	movss	(%rax,%rbp,4), %xmm1            # xmm1 = mem[0],zero,zero,zero
	mulss	(%rsi,%rdi,4), %xmm1
	addss	%xmm0, %xmm1
	movss	%xmm1, (%rdx,%rbp,4)
	addq	$1, %rbp
	cmpq	$16, %rbp
	jne	.LBB4_5
	jmp	.LBB4_7
.LBB4_9:
	addq	$200, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lfunc_end4:
	.size	peeled, .Lfunc_end4-peeled
                                        # -- End function
	.globl	parallel                        # -- Begin function parallel
	.p2align	4, 0x90
	.type	parallel,@function
parallel:                               # @parallel
# %bb.0:
	subq	$24, %rsp
	movq	%rdi, 16(%rsp)
	movq	%rsi, 8(%rsp)
	leaq	.L__unnamed_1(%rip), %rdi
	leaq	.omp_outlined.(%rip), %rdx
	leaq	8(%rsp), %rcx
	leaq	16(%rsp), %r8
	movl	$2, %esi
	xorl	%eax, %eax
	callq	__kmpc_fork_call@PLT
	addq	$24, %rsp
	retq
.Lfunc_end5:
	.size	parallel, .Lfunc_end5-parallel
                                        # -- End function
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4                               # -- Begin function .omp_outlined.
.LCPI6_0:
	.long	0x40400000                      # float 3
	.long	0x40400000                      # float 3
	.long	0x40400000                      # float 3
	.long	0x40400000                      # float 3
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2
.LCPI6_1:
	.long	0x40400000                      # float 3
	.text
	.p2align	4, 0x90
	.type	.omp_outlined.,@function
.omp_outlined.:                         # @.omp_outlined.
# %bb.0:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$40, %rsp
	movq	%rcx, %rbp
	movq	%rdx, %rbx
	movq	$0, 24(%rsp)
	movq	$63, 8(%rsp)
	movq	$1, 32(%rsp)
	movl	$0, 20(%rsp)
	movl	(%rdi), %esi
	subq	$8, %rsp
	leaq	40(%rsp), %rax
	leaq	.L__unnamed_2(%rip), %rdi
	leaq	28(%rsp), %rcx
	leaq	32(%rsp), %r8
	leaq	16(%rsp), %r9
	movl	%esi, 24(%rsp)                  # 4-byte Spill
	movl	$34, %edx
	pushq	$1
	pushq	$1
	pushq	%rax
	callq	__kmpc_for_static_init_8@PLT
	addq	$32, %rsp
	movq	8(%rsp), %rax
	cmpq	$63, %rax
	movl	$63, %r10d
	cmovlq	%rax, %r10
	movq	%r10, 8(%rsp)
	movq	24(%rsp), %r12
	cmpq	%r10, %r12
	jle	.LBB6_1
.LBB6_7:
	leaq	.L__unnamed_2(%rip), %rdi
	movl	16(%rsp), %esi                  # 4-byte Reload
	callq	__kmpc_for_static_fini@PLT
	addq	$40, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.LBB6_1:
	movq	(%rbp), %r11
	movq	(%rbx), %r15
	movq	%r12, %r9
	shlq	$10, %r9
	leaq	1024(%r9), %r8
	movq	%r12, %rax
	shlq	$12, %rax
	leaq	(%r15,%rax), %rbx
	addq	$48, %rbx
	leaq	(%r11,%rax), %rbp
	addq	$48, %rbp
	leaq	(%r15,%rax), %rdi
	addq	$4, %rdi
	addq	%r11, %rax
	addq	$4, %rax
	xorl	%r13d, %r13d
	movss	.LCPI6_1(%rip), %xmm0           # xmm0 = mem[0],zero,zero,zero
	movaps	.LCPI6_0(%rip), %xmm1           # xmm1 = [3.0E+0,3.0E+0,3.0E+0,3.0E+0]
	jmp	.LBB6_2
	.p2align	4, 0x90
.LBB6_6:                                #   in Loop: Header=BB6_2 Depth=1
	leaq	1(%r12), %rcx
	addq	$1, %r13
	addq	$4096, %rbx                     # imm = 0x1000
	addq	$4096, %rbp                     # imm = 0x1000
	addq	$4096, %rdi                     # imm = 0x1000
	addq	$4096, %rax                     # imm = 0x1000
	cmpq	%r10, %r12
	movq	%rcx, %r12
	je	.LBB6_7
.LBB6_2:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB6_5 Depth 2
                                        #     Child Loop BB6_9 Depth 2
	movq	%r13, %rdx
	shlq	$10, %rdx
	leaq	(%r9,%rdx), %rsi
	addq	%r8, %rdx
	leaq	(%r11,%rdx,4), %rcx
	leaq	(%r15,%rsi,4), %r14
	cmpq	%rcx, %r14
	jae	.LBB6_4
# %bb.3:                                #   in Loop: Header=BB6_2 Depth=1
	leaq	(%r11,%rsi,4), %rcx
	leaq	(%r15,%rdx,4), %rdx
	cmpq	%rdx, %rcx
	jae	.LBB6_4
# %bb.8:                                #   in Loop: Header=BB6_2 Depth=1
	xorl	%edx, %edx
	.p2align	4, 0x90
.LBB6_9:                                #   Parent Loop BB6_2 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	movss	-4(%rax,%rdx,4), %xmm2          # xmm2 = mem[0],zero,zero,zero
	mulss	%xmm0, %xmm2
	addss	-4(%rdi,%rdx,4), %xmm2
	movss	%xmm2, -4(%rdi,%rdx,4)
	movss	(%rax,%rdx,4), %xmm2            # xmm2 = mem[0],zero,zero,zero
	mulss	%xmm0, %xmm2
	addss	(%rdi,%rdx,4), %xmm2
	movss	%xmm2, (%rdi,%rdx,4)
	addq	$2, %rdx
	cmpq	$1024, %rdx                     # imm = 0x400
	jne	.LBB6_9
	jmp	.LBB6_6
	.p2align	4, 0x90
.LBB6_4:                                #   in Loop: Header=BB6_2 Depth=1
	xorl	%edx, %edx
	.p2align	4, 0x90
.LBB6_5:                                #   Parent Loop BB6_2 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	movups	-48(%rbp,%rdx,4), %xmm2
	movups	-32(%rbp,%rdx,4), %xmm3
	mulps	%xmm1, %xmm2
	movups	-48(%rbx,%rdx,4), %xmm4
	addps	%xmm2, %xmm4
	movups	-32(%rbx,%rdx,4), %xmm2
	movups	-16(%rbx,%rdx,4), %xmm5
	movups	(%rbx,%rdx,4), %xmm6
	mulps	%xmm1, %xmm3
	addps	%xmm2, %xmm3
	movups	%xmm4, -48(%rbx,%rdx,4)
	movups	%xmm3, -32(%rbx,%rdx,4)
	movups	-16(%rbp,%rdx,4), %xmm2
	movups	(%rbp,%rdx,4), %xmm3
	mulps	%xmm1, %xmm2
	addps	%xmm5, %xmm2
	mulps	%xmm1, %xmm3
	addps	%xmm6, %xmm3
	movups	%xmm2, -16(%rbx,%rdx,4)
	movups	%xmm3, (%rbx,%rdx,4)
	addq	$16, %rdx
	cmpq	$1024, %rdx                     # imm = 0x400
	jne	.LBB6_5
	jmp	.LBB6_6
.Lfunc_end6:
	.size	.omp_outlined., .Lfunc_end6-.omp_outlined.
                                        # -- End function
	.globl	straight                        # -- Begin function straight
	.p2align	4, 0x90
	.type	straight,@function
straight:                               # @straight
# %bb.0:
	movss	(%rdi), %xmm0                   # xmm0 = mem[0],zero,zero,zero
	mulss	4(%rdi), %xmm0
	movss	%xmm0, (%rsi)
	retq
.Lfunc_end7:
	.size	straight, .Lfunc_end7-straight
                                        # -- End function
	.type	.L__unnamed_3,@object           # @0
	.section	.rodata.str1.1,"aMS",@progbits,1
.L__unnamed_3:
	.asciz	";unknown;unknown;0;0;;"
	.size	.L__unnamed_3, 23

	.type	.L__unnamed_2,@object           # @1
	.section	.data.rel.ro,"aw",@progbits
	.p2align	3
.L__unnamed_2:
	.long	0                               # 0x0
	.long	514                             # 0x202
	.long	0                               # 0x0
	.long	22                              # 0x16
	.quad	.L__unnamed_3
	.size	.L__unnamed_2, 24

	.type	.L__unnamed_1,@object           # @2
	.p2align	3
.L__unnamed_1:
	.long	0                               # 0x0
	.long	2                               # 0x2
	.long	0                               # 0x0
	.long	22                              # 0x16
	.quad	.L__unnamed_3
	.size	.L__unnamed_1, 24

	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym .omp_outlined.

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
	vmovss	(%rdi), %xmm5                   # xmm5 = mem[0],zero,zero,zero
	vmovss	4(%rdi), %xmm1                  # xmm1 = mem[0],zero,zero,zero
	movl	$1, %eax
	jne	.LBB0_6
# %bb.2:
	vmovaps	%xmm1, %xmm4
	vmovaps	%xmm5, %xmm0
	jmp	.LBB0_3
.LBB0_6:
	leaq	-2(%rdx), %r8
	andq	$-2, %r8
	negq	%r8
	movl	$1, %ecx
	vmovss	.LCPI0_0(%rip), %xmm2           # xmm2 = mem[0],zero,zero,zero
	vmovss	.LCPI0_1(%rip), %xmm3           # xmm3 = mem[0],zero,zero,zero
	.p2align	4, 0x90
.LBB0_7:                                # =>This Inner Loop Header: Depth=1
	vmovss	4(%rdi,%rcx,4), %xmm0           # xmm0 = mem[0],zero,zero,zero
	vaddss	%xmm0, %xmm5, %xmm4
	vmulss	%xmm2, %xmm1, %xmm5
	vfmadd231ss	%xmm4, %xmm3, %xmm5     # xmm5 = (xmm3 * xmm4) + xmm5
	vmovss	%xmm5, (%rsi,%rcx,4)
	leaq	2(%rcx), %rax
	vmovss	8(%rdi,%rcx,4), %xmm4           # xmm4 = mem[0],zero,zero,zero
	vaddss	%xmm4, %xmm1, %xmm1
	vmulss	%xmm2, %xmm0, %xmm5
	vfmadd231ss	%xmm1, %xmm3, %xmm5     # xmm5 = (xmm3 * xmm1) + xmm5
	vmovss	%xmm5, 4(%rsi,%rcx,4)
	leaq	2(%r8,%rcx), %r9
	vmovaps	%xmm4, %xmm1
	vmovaps	%xmm0, %xmm5
	movq	%rax, %rcx
	cmpq	$1, %r9
	jne	.LBB0_7
.LBB0_3:
	testb	$1, %dl
	je	.LBB0_5
# %bb.4:
	vaddss	4(%rdi,%rax,4), %xmm0, %xmm0
	vmulss	.LCPI0_0(%rip), %xmm4, %xmm1
	vfmadd231ss	.LCPI0_1(%rip), %xmm0, %xmm1 # xmm1 = (xmm0 * mem) + xmm1
	vmovss	%xmm1, (%rsi,%rax,4)
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
	leaq	96(%rsi), %r8
	leaq	224(%rsi), %r9
	leaq	352(%rsi), %r10
	addq	$480, %rsi                      # imm = 0x1E0
	xorl	%r11d, %r11d
	.p2align	4, 0x90
.LBB1_1:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB1_2 Depth 2
                                        #     Child Loop BB1_4 Depth 2
                                        #     Child Loop BB1_6 Depth 2
                                        #     Child Loop BB1_8 Depth 2
	movq	%r11, %r14
	shlq	$6, %r14
	vxorpd	%xmm8, %xmm8, %xmm8
	movq	%r8, %rcx
	xorl	%ebx, %ebx
	vxorpd	%xmm10, %xmm10, %xmm10
	vxorpd	%xmm11, %xmm11, %xmm11
	vxorpd	%xmm12, %xmm12, %xmm12
	.p2align	4, 0x90
.LBB1_2:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vmovapd	%ymm12, %ymm7
	vmovapd	%ymm11, %ymm2
	vmovapd	%ymm10, %ymm1
	vmovapd	%ymm8, %ymm0
	vmovupd	-96(%rcx), %ymm6
	vmovupd	-64(%rcx), %ymm5
	vmovupd	-32(%rcx), %ymm4
	vmovupd	(%rcx), %ymm3
	vbroadcastsd	(%rdi,%rbx,8), %ymm9
	vmovapd	%ymm6, %ymm8
	vfmadd213pd	%ymm0, %ymm9, %ymm8     # ymm8 = (ymm9 * ymm8) + ymm0
	vmovapd	%ymm5, %ymm10
	vfmadd213pd	%ymm1, %ymm9, %ymm10    # ymm10 = (ymm9 * ymm10) + ymm1
	vmovapd	%ymm4, %ymm11
	vfmadd213pd	%ymm2, %ymm9, %ymm11    # ymm11 = (ymm9 * ymm11) + ymm2
	vmovapd	%ymm3, %ymm12
	vfmadd213pd	%ymm7, %ymm9, %ymm12    # ymm12 = (ymm9 * ymm12) + ymm7
	addq	$1, %rbx
	addq	$512, %rcx                      # imm = 0x200
	cmpq	$64, %rbx
	jne	.LBB1_2
# %bb.3:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%ymm7, %ymm9, %ymm3     # ymm3 = (ymm9 * ymm3) + ymm7
	vfmadd213pd	%ymm2, %ymm9, %ymm4     # ymm4 = (ymm9 * ymm4) + ymm2
	vfmadd213pd	%ymm1, %ymm9, %ymm5     # ymm5 = (ymm9 * ymm5) + ymm1
	vfmadd213pd	%ymm0, %ymm9, %ymm6     # ymm6 = (ymm9 * ymm6) + ymm0
	vmovupd	%ymm6, (%rdx,%r14,8)
	vmovupd	%ymm5, 32(%rdx,%r14,8)
	vmovupd	%ymm4, 64(%rdx,%r14,8)
	vmovupd	%ymm3, 96(%rdx,%r14,8)
	movq	%r14, %rcx
	orq	$16, %rcx
	vxorpd	%xmm8, %xmm8, %xmm8
	movq	%r9, %rbx
	xorl	%eax, %eax
	vxorpd	%xmm10, %xmm10, %xmm10
	vxorpd	%xmm11, %xmm11, %xmm11
	vxorpd	%xmm12, %xmm12, %xmm12
	.p2align	4, 0x90
.LBB1_4:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vmovapd	%ymm12, %ymm7
	vmovapd	%ymm11, %ymm2
	vmovapd	%ymm10, %ymm1
	vmovapd	%ymm8, %ymm0
	vmovupd	-96(%rbx), %ymm6
	vmovupd	-64(%rbx), %ymm5
	vmovupd	-32(%rbx), %ymm4
	vmovupd	(%rbx), %ymm3
	vbroadcastsd	(%rdi,%rax,8), %ymm9
	vmovapd	%ymm6, %ymm8
	vfmadd213pd	%ymm0, %ymm9, %ymm8     # ymm8 = (ymm9 * ymm8) + ymm0
	vmovapd	%ymm5, %ymm10
	vfmadd213pd	%ymm1, %ymm9, %ymm10    # ymm10 = (ymm9 * ymm10) + ymm1
	vmovapd	%ymm4, %ymm11
	vfmadd213pd	%ymm2, %ymm9, %ymm11    # ymm11 = (ymm9 * ymm11) + ymm2
	vmovapd	%ymm3, %ymm12
	vfmadd213pd	%ymm7, %ymm9, %ymm12    # ymm12 = (ymm9 * ymm12) + ymm7
	addq	$1, %rax
	addq	$512, %rbx                      # imm = 0x200
	cmpq	$64, %rax
	jne	.LBB1_4
# %bb.5:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%ymm7, %ymm9, %ymm3     # ymm3 = (ymm9 * ymm3) + ymm7
	vfmadd213pd	%ymm2, %ymm9, %ymm4     # ymm4 = (ymm9 * ymm4) + ymm2
	vfmadd213pd	%ymm1, %ymm9, %ymm5     # ymm5 = (ymm9 * ymm5) + ymm1
	vfmadd213pd	%ymm0, %ymm9, %ymm6     # ymm6 = (ymm9 * ymm6) + ymm0
	vmovupd	%ymm6, (%rdx,%rcx,8)
	vmovupd	%ymm5, 32(%rdx,%rcx,8)
	vmovupd	%ymm4, 64(%rdx,%rcx,8)
	vmovupd	%ymm3, 96(%rdx,%rcx,8)
	movq	%r14, %rcx
	orq	$32, %rcx
	vxorpd	%xmm8, %xmm8, %xmm8
	movq	%r10, %rbx
	xorl	%eax, %eax
	vxorpd	%xmm10, %xmm10, %xmm10
	vxorpd	%xmm11, %xmm11, %xmm11
	vxorpd	%xmm12, %xmm12, %xmm12
	.p2align	4, 0x90
.LBB1_6:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vmovapd	%ymm12, %ymm7
	vmovapd	%ymm11, %ymm2
	vmovapd	%ymm10, %ymm1
	vmovapd	%ymm8, %ymm0
	vmovupd	-96(%rbx), %ymm6
	vmovupd	-64(%rbx), %ymm5
	vmovupd	-32(%rbx), %ymm4
	vmovupd	(%rbx), %ymm3
	vbroadcastsd	(%rdi,%rax,8), %ymm9
	vmovapd	%ymm6, %ymm8
	vfmadd213pd	%ymm0, %ymm9, %ymm8     # ymm8 = (ymm9 * ymm8) + ymm0
	vmovapd	%ymm5, %ymm10
	vfmadd213pd	%ymm1, %ymm9, %ymm10    # ymm10 = (ymm9 * ymm10) + ymm1
	vmovapd	%ymm4, %ymm11
	vfmadd213pd	%ymm2, %ymm9, %ymm11    # ymm11 = (ymm9 * ymm11) + ymm2
	vmovapd	%ymm3, %ymm12
	vfmadd213pd	%ymm7, %ymm9, %ymm12    # ymm12 = (ymm9 * ymm12) + ymm7
	addq	$1, %rax
	addq	$512, %rbx                      # imm = 0x200
	cmpq	$64, %rax
	jne	.LBB1_6
# %bb.7:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%ymm7, %ymm9, %ymm3     # ymm3 = (ymm9 * ymm3) + ymm7
	vfmadd213pd	%ymm2, %ymm9, %ymm4     # ymm4 = (ymm9 * ymm4) + ymm2
	vfmadd213pd	%ymm1, %ymm9, %ymm5     # ymm5 = (ymm9 * ymm5) + ymm1
	vfmadd213pd	%ymm0, %ymm9, %ymm6     # ymm6 = (ymm9 * ymm6) + ymm0
	vmovupd	%ymm6, (%rdx,%rcx,8)
	vmovupd	%ymm5, 32(%rdx,%rcx,8)
	vmovupd	%ymm4, 64(%rdx,%rcx,8)
	vmovupd	%ymm3, 96(%rdx,%rcx,8)
	orq	$48, %r14
	vxorpd	%xmm8, %xmm8, %xmm8
	movq	%rsi, %rcx
	xorl	%eax, %eax
	vxorpd	%xmm10, %xmm10, %xmm10
	vxorpd	%xmm11, %xmm11, %xmm11
	vxorpd	%xmm12, %xmm12, %xmm12
	.p2align	4, 0x90
.LBB1_8:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vmovapd	%ymm12, %ymm7
	vmovapd	%ymm11, %ymm2
	vmovapd	%ymm10, %ymm1
	vmovapd	%ymm8, %ymm0
	vmovupd	-96(%rcx), %ymm6
	vmovupd	-64(%rcx), %ymm5
	vmovupd	-32(%rcx), %ymm4
	vmovupd	(%rcx), %ymm3
	vbroadcastsd	(%rdi,%rax,8), %ymm9
	vmovapd	%ymm6, %ymm8
	vfmadd213pd	%ymm0, %ymm9, %ymm8     # ymm8 = (ymm9 * ymm8) + ymm0
	vmovapd	%ymm5, %ymm10
	vfmadd213pd	%ymm1, %ymm9, %ymm10    # ymm10 = (ymm9 * ymm10) + ymm1
	vmovapd	%ymm4, %ymm11
	vfmadd213pd	%ymm2, %ymm9, %ymm11    # ymm11 = (ymm9 * ymm11) + ymm2
	vmovapd	%ymm3, %ymm12
	vfmadd213pd	%ymm7, %ymm9, %ymm12    # ymm12 = (ymm9 * ymm12) + ymm7
	addq	$1, %rax
	addq	$512, %rcx                      # imm = 0x200
	cmpq	$64, %rax
	jne	.LBB1_8
# %bb.9:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%ymm7, %ymm9, %ymm3     # ymm3 = (ymm9 * ymm3) + ymm7
	vfmadd213pd	%ymm2, %ymm9, %ymm4     # ymm4 = (ymm9 * ymm4) + ymm2
	vfmadd213pd	%ymm1, %ymm9, %ymm5     # ymm5 = (ymm9 * ymm5) + ymm1
	vfmadd213pd	%ymm0, %ymm9, %ymm6     # ymm6 = (ymm9 * ymm6) + ymm0
	vmovupd	%ymm6, (%rdx,%r14,8)
	vmovupd	%ymm5, 32(%rdx,%r14,8)
	vmovupd	%ymm4, 64(%rdx,%r14,8)
	vmovupd	%ymm3, 96(%rdx,%r14,8)
	addq	$1, %r11
	addq	$512, %rdi                      # imm = 0x200
	cmpq	$64, %r11
	jne	.LBB1_1
# %bb.10:
	popq	%rbx
	popq	%r14
	vzeroupper
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
	vxorps	%xmm0, %xmm0, %xmm0
	xorl	%ecx, %ecx
	jmp	.LBB2_4
.LBB2_1:
	vxorps	%xmm0, %xmm0, %xmm0
	retq
.LBB2_8:
	andq	$-8, %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	xorl	%ecx, %ecx
	.p2align	4, 0x90
.LBB2_9:                                # =>This Inner Loop Header: Depth=1
	vaddss	(%rdi,%rcx,4), %xmm0, %xmm0
	vaddss	4(%rdi,%rcx,4), %xmm0, %xmm0
	vaddss	8(%rdi,%rcx,4), %xmm0, %xmm0
	vaddss	12(%rdi,%rcx,4), %xmm0, %xmm0
	vaddss	16(%rdi,%rcx,4), %xmm0, %xmm0
	vaddss	20(%rdi,%rcx,4), %xmm0, %xmm0
	vaddss	24(%rdi,%rcx,4), %xmm0, %xmm0
	vaddss	28(%rdi,%rcx,4), %xmm0, %xmm0
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
	vaddss	(%rcx,%rdx,4), %xmm0, %xmm0
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
	subq	$40, %rsp
	testq	%rcx, %rcx
	jle	.LBB3_1
# %bb.2:
	addq	$48, %rsi
	addq	$64, %rdi
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm7, %xmm7, %xmm7
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, (%rsp)                   # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -16(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -32(%rsp)                # 16-byte Spill
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm10, %xmm10, %xmm10
	vxorps	%xmm9, %xmm9, %xmm9
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -48(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -64(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -80(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -96(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -112(%rsp)               # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -128(%rsp)               # 16-byte Spill
	.p2align	4, 0x90
.LBB3_3:                                # =>This Inner Loop Header: Depth=1
	vmovaps	%xmm7, 16(%rsp)                 # 16-byte Spill
	vmovaps	-48(%rsi), %xmm15
	vmovaps	-32(%rsi), %xmm14
	vmovaps	-16(%rsi), %xmm13
	vmovaps	(%rsi), %xmm12
	vmovaps	%xmm0, %xmm1
	vmovaps	-64(%rdi), %xmm0
	vmovaps	-128(%rsp), %xmm7               # 16-byte Reload
	vfmadd231ps	%xmm15, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm15) + xmm7
	vmovaps	%xmm7, -128(%rsp)               # 16-byte Spill
	vmovaps	-112(%rsp), %xmm7               # 16-byte Reload
	vfmadd231ps	%xmm14, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm14) + xmm7
	vmovaps	%xmm7, -112(%rsp)               # 16-byte Spill
	vmovaps	-96(%rsp), %xmm7                # 16-byte Reload
	vfmadd231ps	%xmm13, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm13) + xmm7
	vmovaps	%xmm7, -96(%rsp)                # 16-byte Spill
	vmovaps	-80(%rsp), %xmm7                # 16-byte Reload
	vfmadd231ps	%xmm0, %xmm12, %xmm7    # xmm7 = (xmm12 * xmm0) + xmm7
	vmovaps	%xmm7, -80(%rsp)                # 16-byte Spill
	vmovaps	-48(%rdi), %xmm0
	vmovaps	-64(%rsp), %xmm7                # 16-byte Reload
	vfmadd231ps	%xmm15, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm15) + xmm7
	vmovaps	%xmm7, -64(%rsp)                # 16-byte Spill
	vmovaps	-48(%rsp), %xmm7                # 16-byte Reload
	vfmadd231ps	%xmm14, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm14) + xmm7
	vmovaps	%xmm7, -48(%rsp)                # 16-byte Spill
	vfmadd231ps	%xmm13, %xmm0, %xmm5    # xmm5 = (xmm0 * xmm13) + xmm5
	vfmadd231ps	%xmm0, %xmm12, %xmm6    # xmm6 = (xmm12 * xmm0) + xmm6
	vmovaps	-32(%rdi), %xmm0
	vfmadd231ps	%xmm15, %xmm0, %xmm9    # xmm9 = (xmm0 * xmm15) + xmm9
	vfmadd231ps	%xmm14, %xmm0, %xmm10   # xmm10 = (xmm0 * xmm14) + xmm10
	vfmadd231ps	%xmm13, %xmm0, %xmm11   # xmm11 = (xmm0 * xmm13) + xmm11
	vfmadd231ps	%xmm0, %xmm12, %xmm4    # xmm4 = (xmm12 * xmm0) + xmm4
	vmovaps	-16(%rdi), %xmm0
	vfmadd231ps	%xmm15, %xmm0, %xmm8    # xmm8 = (xmm0 * xmm15) + xmm8
	vmovaps	-32(%rsp), %xmm7                # 16-byte Reload
	vfmadd231ps	%xmm14, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm14) + xmm7
	vmovaps	%xmm7, -32(%rsp)                # 16-byte Spill
	vmovaps	-16(%rsp), %xmm7                # 16-byte Reload
	vfmadd231ps	%xmm13, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm13) + xmm7
	vmovaps	%xmm7, -16(%rsp)                # 16-byte Spill
	vmovaps	%xmm5, %xmm7
	vmovaps	(%rsp), %xmm5                   # 16-byte Reload
	vfmadd231ps	%xmm0, %xmm12, %xmm5    # xmm5 = (xmm12 * xmm0) + xmm5
	vmovaps	%xmm5, (%rsp)                   # 16-byte Spill
	vmovaps	%xmm7, %xmm5
	vmovaps	(%rdi), %xmm0
	vmovaps	16(%rsp), %xmm7                 # 16-byte Reload
	vfmadd231ps	%xmm15, %xmm0, %xmm7    # xmm7 = (xmm0 * xmm15) + xmm7
	vmovaps	%xmm7, 16(%rsp)                 # 16-byte Spill
	vmovaps	16(%rsp), %xmm7                 # 16-byte Reload
	vfmadd231ps	%xmm14, %xmm0, %xmm3    # xmm3 = (xmm0 * xmm14) + xmm3
	vfmadd231ps	%xmm13, %xmm0, %xmm2    # xmm2 = (xmm0 * xmm13) + xmm2
	vfmadd231ps	%xmm12, %xmm0, %xmm1    # xmm1 = (xmm0 * xmm12) + xmm1
	vmovaps	%xmm1, %xmm0
	addq	$64, %rsi
	addq	$80, %rdi
	addq	$-1, %rcx
	jne	.LBB3_3
	jmp	.LBB3_4
.LBB3_1:
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm7, %xmm7, %xmm7
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, (%rsp)                   # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -16(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -32(%rsp)                # 16-byte Spill
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm10, %xmm10, %xmm10
	vxorps	%xmm9, %xmm9, %xmm9
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -48(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -64(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -80(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -96(%rsp)                # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -112(%rsp)               # 16-byte Spill
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, -128(%rsp)               # 16-byte Spill
.LBB3_4:
	vmovaps	-128(%rsp), %xmm1               # 16-byte Reload
	vmovaps	%xmm1, (%rdx)
	vmovaps	-112(%rsp), %xmm1               # 16-byte Reload
	vmovaps	%xmm1, 16(%rdx)
	vmovaps	-96(%rsp), %xmm1                # 16-byte Reload
	vmovaps	%xmm1, 32(%rdx)
	vmovaps	-80(%rsp), %xmm1                # 16-byte Reload
	vmovaps	%xmm1, 48(%rdx)
	vmovaps	-64(%rsp), %xmm1                # 16-byte Reload
	vmovaps	%xmm1, 64(%rdx)
	vmovaps	-48(%rsp), %xmm1                # 16-byte Reload
	vmovaps	%xmm1, 80(%rdx)
	vmovaps	%xmm5, 96(%rdx)
	vmovaps	%xmm6, 112(%rdx)
	vmovaps	%xmm9, 128(%rdx)
	vmovaps	%xmm10, 144(%rdx)
	vmovaps	%xmm11, 160(%rdx)
	vmovaps	%xmm4, 176(%rdx)
	vmovaps	%xmm8, 192(%rdx)
	vmovaps	-32(%rsp), %xmm1                # 16-byte Reload
	vmovaps	%xmm1, 208(%rdx)
	vmovaps	-16(%rsp), %xmm1                # 16-byte Reload
	vmovaps	%xmm1, 224(%rdx)
	vmovaps	(%rsp), %xmm1                   # 16-byte Reload
	vmovaps	%xmm1, 240(%rdx)
	vmovaps	%xmm7, 256(%rdx)
	vmovaps	%xmm3, 272(%rdx)
	vmovaps	%xmm2, 288(%rdx)
	vmovaps	%xmm0, 304(%rdx)
	addq	$40, %rsp
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
	subq	$64, %rsp
	movq	%rdx, %r14
	movq	%rdi, -112(%rsp)                # 8-byte Spill
	leaq	448(%rdi), %rax
	xorl	%ecx, %ecx
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rdx, -120(%rsp)                # 8-byte Spill
	jmp	.LBB4_1
	.p2align	4, 0x90
.LBB4_8:                                #   in Loop: Header=BB4_1 Depth=1
	movq	-80(%rsp), %rcx                 # 8-byte Reload
	addq	$1, %rcx
	movq	-88(%rsp), %r14                 # 8-byte Reload
	addq	$512, %r14                      # imm = 0x200
	addq	$512, %rax                      # imm = 0x200
	cmpq	$8, %rcx
	je	.LBB4_9
.LBB4_1:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB4_2 Depth 2
                                        #       Child Loop BB4_5 Depth 3
	movq	%rcx, %rdi
	shlq	$7, %rdi
	leaq	16(%rdi), %rdx
	movq	%rdx, -104(%rsp)                # 8-byte Spill
	movq	%rcx, -80(%rsp)                 # 8-byte Spill
	shlq	$9, %rcx
	movq	-112(%rsp), %rdx                # 8-byte Reload
	leaq	(%rdx,%rcx), %rbp
	movq	%rbp, 48(%rsp)                  # 8-byte Spill
	addq	%rdx, %rcx
	addq	$512, %rcx                      # imm = 0x200
	movq	%rcx, 40(%rsp)                  # 8-byte Spill
	leaq	32(%rdi), %rcx
	movq	%rcx, 32(%rsp)                  # 8-byte Spill
	leaq	48(%rdi), %rcx
	movq	%rcx, 24(%rsp)                  # 8-byte Spill
	leaq	64(%rdi), %rcx
	movq	%rcx, 16(%rsp)                  # 8-byte Spill
	leaq	80(%rdi), %rcx
	movq	%rcx, 8(%rsp)                   # 8-byte Spill
	leaq	96(%rdi), %rcx
	movq	%rcx, (%rsp)                    # 8-byte Spill
	leaq	112(%rdi), %rcx
	movq	%rcx, -8(%rsp)                  # 8-byte Spill
	leaq	8(%rdi), %rcx
	movq	%rcx, -16(%rsp)                 # 8-byte Spill
	leaq	24(%rdi), %rcx
	movq	%rcx, -24(%rsp)                 # 8-byte Spill
	leaq	40(%rdi), %rcx
	movq	%rcx, -32(%rsp)                 # 8-byte Spill
	leaq	56(%rdi), %rcx
	movq	%rcx, -40(%rsp)                 # 8-byte Spill
	leaq	72(%rdi), %rcx
	movq	%rcx, -48(%rsp)                 # 8-byte Spill
	leaq	88(%rdi), %rcx
	movq	%rcx, -56(%rsp)                 # 8-byte Spill
	leaq	104(%rdi), %rcx
	movq	%rcx, -64(%rsp)                 # 8-byte Spill
	movq	%rdi, %rcx
	movq	%rdi, -96(%rsp)                 # 8-byte Spill
	leaq	120(%rdi), %rcx
	movq	%rcx, -72(%rsp)                 # 8-byte Spill
	movq	%r14, -88(%rsp)                 # 8-byte Spill
	xorl	%r15d, %r15d
	jmp	.LBB4_2
	.p2align	4, 0x90
.LBB4_6:                                #   in Loop: Header=BB4_2 Depth=2
	vbroadcastss	(%rsi,%r11,4), %ymm2
	movq	-112(%rsp), %rdx                # 8-byte Reload
	movq	-96(%rsp), %rcx                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm1, %ymm2 # ymm2 = (ymm2 * mem) + ymm1
	vbroadcastss	(%rsi,%r9,4), %ymm3
	movq	-104(%rsp), %rcx                # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm2, %ymm3 # ymm3 = (ymm3 * mem) + ymm2
	vbroadcastss	(%rsi,%rbp,4), %ymm2
	movq	32(%rsp), %rcx                  # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm3, %ymm2 # ymm2 = (ymm2 * mem) + ymm3
	vbroadcastss	(%rsi,%r13,4), %ymm3
	movq	24(%rsp), %rcx                  # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm2, %ymm3 # ymm3 = (ymm3 * mem) + ymm2
	vbroadcastss	(%rsi,%r12,4), %ymm2
	movq	16(%rsp), %rcx                  # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm3, %ymm2 # ymm2 = (ymm2 * mem) + ymm3
	vbroadcastss	(%rsi,%r10,4), %ymm3
	movq	8(%rsp), %rcx                   # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm2, %ymm3 # ymm3 = (ymm3 * mem) + ymm2
	vbroadcastss	(%rsi,%rbx,4), %ymm2
	movq	(%rsp), %rcx                    # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm3, %ymm2 # ymm2 = (ymm2 * mem) + ymm3
	vbroadcastss	(%rsi,%r8,4), %ymm3
	movq	-8(%rsp), %rcx                  # 8-byte Reload
	vfmadd132ps	(%rdx,%rcx,4), %ymm2, %ymm3 # ymm3 = (ymm3 * mem) + ymm2
	movq	56(%rsp), %rcx                  # 8-byte Reload
	movq	-120(%rsp), %rdi                # 8-byte Reload
	vmovups	%ymm3, (%rdi,%rcx,4)
	vbroadcastss	(%rsi,%r11,4), %ymm2
	vbroadcastss	(%rsi,%r9,4), %ymm3
	vbroadcastss	(%rsi,%rbp,4), %ymm4
	vbroadcastss	(%rsi,%r13,4), %ymm5
	vbroadcastss	(%rsi,%r12,4), %ymm6
	vbroadcastss	(%rsi,%r10,4), %ymm7
	vbroadcastss	(%rsi,%rbx,4), %ymm8
	movq	-16(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm1, %ymm2 # ymm2 = (ymm2 * mem) + ymm1
	movq	-24(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm2, %ymm3 # ymm3 = (ymm3 * mem) + ymm2
	movq	-32(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm3, %ymm4 # ymm4 = (ymm4 * mem) + ymm3
	movq	-40(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm4, %ymm5 # ymm5 = (ymm5 * mem) + ymm4
	movq	-48(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm5, %ymm6 # ymm6 = (ymm6 * mem) + ymm5
	movq	-56(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm6, %ymm7 # ymm7 = (ymm7 * mem) + ymm6
	vbroadcastss	(%rsi,%r8,4), %ymm2
	movq	-64(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm7, %ymm8 # ymm8 = (ymm8 * mem) + ymm7
	shlq	$2, %rcx
	movq	-72(%rsp), %rdi                 # 8-byte Reload
	vfmadd132ps	(%rdx,%rdi,4), %ymm8, %ymm2 # ymm2 = (ymm2 * mem) + ymm8
	orq	$32, %rcx
	movq	-120(%rsp), %rdx                # 8-byte Reload
	vmovups	%ymm2, (%rdx,%rcx)
.LBB4_7:                                #   in Loop: Header=BB4_2 Depth=2
	addq	$1, %r15
	addq	$64, %r14
	cmpq	$8, %r15
	je	.LBB4_8
.LBB4_2:                                #   Parent Loop BB4_1 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB4_5 Depth 3
	movq	%r15, %rcx
	shlq	$4, %rcx
	movq	-96(%rsp), %rdx                 # 8-byte Reload
	leaq	(%rdx,%rcx), %rdi
	movq	-120(%rsp), %rdx                # 8-byte Reload
	movq	%rdi, 56(%rsp)                  # 8-byte Spill
	leaq	(%rdx,%rdi,4), %r8
	addq	-104(%rsp), %rcx                # 8-byte Folded Reload
	leaq	(%rdx,%rcx,4), %rbx
	leaq	(,%r15,8), %r11
	leaq	1(,%r15,8), %r9
	leaq	2(,%r15,8), %rbp
	leaq	3(,%r15,8), %r13
	leaq	4(,%r15,8), %r12
	movq	%r15, %rdi
	shlq	$5, %rdi
	leaq	(%rsi,%rdi), %rcx
	addq	$32, %rcx
	addq	%rsi, %rdi
	cmpq	40(%rsp), %r8                   # 8-byte Folded Reload
	setb	-121(%rsp)                      # 1-byte Folded Spill
	cmpq	%rbx, 48(%rsp)                  # 8-byte Folded Reload
	setb	%dl
	cmpq	%rcx, %r8
	leaq	5(,%r15,8), %r10
	setb	%cl
	cmpq	%rbx, %rdi
	leaq	6(,%r15,8), %rbx
	leaq	7(,%r15,8), %r8
	setb	%dil
	testb	%dl, -121(%rsp)                 # 1-byte Folded Reload
	jne	.LBB4_4
# %bb.3:                                #   in Loop: Header=BB4_2 Depth=2
	andb	%dil, %cl
	je	.LBB4_6
.LBB4_4:                                #   in Loop: Header=BB4_2 Depth=2
	xorl	%ecx, %ecx
	.p2align	4, 0x90
.LBB4_5:                                #   Parent Loop BB4_1 Depth=1
                                        #     Parent Loop BB4_2 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	vmovss	-448(%rax,%rcx,4), %xmm2        # xmm2 = mem[0],zero,zero,zero
	vmovss	-384(%rax,%rcx,4), %xmm3        # xmm3 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r11,4), %xmm0, %xmm2 # xmm2 = (xmm2 * mem) + xmm0
	vfmadd231ss	(%rsi,%r9,4), %xmm3, %xmm2 # xmm2 = (xmm3 * mem) + xmm2
	vmovss	-320(%rax,%rcx,4), %xmm3        # xmm3 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%rbp,4), %xmm2, %xmm3 # xmm3 = (xmm3 * mem) + xmm2
	vmovss	-256(%rax,%rcx,4), %xmm2        # xmm2 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r13,4), %xmm3, %xmm2 # xmm2 = (xmm2 * mem) + xmm3
	vmovss	-192(%rax,%rcx,4), %xmm3        # xmm3 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r12,4), %xmm2, %xmm3 # xmm3 = (xmm3 * mem) + xmm2
	vmovss	-128(%rax,%rcx,4), %xmm2        # xmm2 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r10,4), %xmm3, %xmm2 # xmm2 = (xmm2 * mem) + xmm3
	vmovss	-64(%rax,%rcx,4), %xmm3         # xmm3 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%rbx,4), %xmm2, %xmm3 # xmm3 = (xmm3 * mem) + xmm2
	vmovss	(%rax,%rcx,4), %xmm2            # xmm2 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r8,4), %xmm3, %xmm2 # xmm2 = (xmm2 * mem) + xmm3
	vmovss	%xmm2, (%r14,%rcx,4)
	addq	$1, %rcx
	cmpq	$16, %rcx
	jne	.LBB4_5
	jmp	.LBB4_7
.LBB4_9:
	addq	$64, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
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
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2                               # -- Begin function .omp_outlined.
.LCPI6_0:
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
	vzeroupper
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
	addq	$96, %rbx
	leaq	(%r11,%rax), %rbp
	addq	$96, %rbp
	leaq	(%r15,%rax), %rdi
	addq	$4, %rdi
	addq	%r11, %rax
	addq	$4, %rax
	xorl	%r13d, %r13d
	vmovss	.LCPI6_0(%rip), %xmm0           # xmm0 = mem[0],zero,zero,zero
	vbroadcastss	.LCPI6_0(%rip), %ymm1   # ymm1 = [3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0]
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
	vmovss	-4(%rax,%rdx,4), %xmm2          # xmm2 = mem[0],zero,zero,zero
	vfmadd213ss	-4(%rdi,%rdx,4), %xmm0, %xmm2 # xmm2 = (xmm0 * xmm2) + mem
	vmovss	%xmm2, -4(%rdi,%rdx,4)
	vmovss	(%rax,%rdx,4), %xmm2            # xmm2 = mem[0],zero,zero,zero
	vfmadd213ss	(%rdi,%rdx,4), %xmm0, %xmm2 # xmm2 = (xmm0 * xmm2) + mem
	vmovss	%xmm2, (%rdi,%rdx,4)
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
	vmovups	-96(%rbp,%rdx,4), %ymm2
	vmovups	-64(%rbp,%rdx,4), %ymm3
	vmovups	-32(%rbp,%rdx,4), %ymm4
	vmovups	(%rbp,%rdx,4), %ymm5
	vfmadd213ps	-96(%rbx,%rdx,4), %ymm1, %ymm2 # ymm2 = (ymm1 * ymm2) + mem
	vfmadd213ps	-64(%rbx,%rdx,4), %ymm1, %ymm3 # ymm3 = (ymm1 * ymm3) + mem
	vfmadd213ps	-32(%rbx,%rdx,4), %ymm1, %ymm4 # ymm4 = (ymm1 * ymm4) + mem
	vfmadd213ps	(%rbx,%rdx,4), %ymm1, %ymm5 # ymm5 = (ymm1 * ymm5) + mem
	vmovups	%ymm2, -96(%rbx,%rdx,4)
	vmovups	%ymm3, -64(%rbx,%rdx,4)
	vmovups	%ymm4, -32(%rbx,%rdx,4)
	vmovups	%ymm5, (%rbx,%rdx,4)
	addq	$32, %rdx
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
	vmovss	(%rdi), %xmm0                   # xmm0 = mem[0],zero,zero,zero
	vmulss	4(%rdi), %xmm0, %xmm0
	vmovss	%xmm0, (%rsi)
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

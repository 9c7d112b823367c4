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
	jl	.LBB0_8
# %bb.1:
	vmovss	(%rdi), %xmm1                   # xmm1 = mem[0],zero,zero,zero
	vmovss	4(%rdi), %xmm0                  # xmm0 = mem[0],zero,zero,zero
	leaq	-2(%rdx), %rax
	addq	$-3, %rdx
	movl	%eax, %r8d
	andl	$3, %r8d
	movl	$1, %ecx
	cmpq	$3, %rdx
	jb	.LBB0_5
# %bb.2:
	andq	$-4, %rax
	xorl	%ecx, %ecx
	vmovss	.LCPI0_0(%rip), %xmm2           # xmm2 = mem[0],zero,zero,zero
	vmovss	.LCPI0_1(%rip), %xmm3           # xmm3 = mem[0],zero,zero,zero
	.p2align	4, 0x90
.LBB0_3:                                # =>This Inner Loop Header: Depth=1
	vmovss	8(%rdi,%rcx,4), %xmm4           # xmm4 = mem[0],zero,zero,zero
	vaddss	%xmm4, %xmm1, %xmm1
	vmulss	%xmm2, %xmm0, %xmm5
	vfmadd231ss	%xmm1, %xmm3, %xmm5     # xmm5 = (xmm3 * xmm1) + xmm5
	vmovss	%xmm5, 4(%rsi,%rcx,4)
	vmovss	12(%rdi,%rcx,4), %xmm5          # xmm5 = mem[0],zero,zero,zero
	vaddss	%xmm5, %xmm0, %xmm0
	vmulss	%xmm2, %xmm4, %xmm1
	vfmadd231ss	%xmm0, %xmm3, %xmm1     # xmm1 = (xmm3 * xmm0) + xmm1
	vmovss	%xmm1, 8(%rsi,%rcx,4)
	vmovss	16(%rdi,%rcx,4), %xmm1          # xmm1 = mem[0],zero,zero,zero
	vaddss	%xmm1, %xmm4, %xmm0
	vmulss	%xmm2, %xmm5, %xmm4
	vfmadd231ss	%xmm0, %xmm3, %xmm4     # xmm4 = (xmm3 * xmm0) + xmm4
	vmovss	%xmm4, 12(%rsi,%rcx,4)
	vmovss	20(%rdi,%rcx,4), %xmm0          # xmm0 = mem[0],zero,zero,zero
	vaddss	%xmm0, %xmm5, %xmm4
	vmulss	%xmm2, %xmm1, %xmm5
	vfmadd231ss	%xmm4, %xmm3, %xmm5     # xmm5 = (xmm3 * xmm4) + xmm5
	vmovss	%xmm5, 16(%rsi,%rcx,4)
	addq	$4, %rcx
	cmpq	%rcx, %rax
	jne	.LBB0_3
# %bb.4:
	incq	%rcx
.LBB0_5:
	testq	%r8, %r8
	je	.LBB0_8
# %bb.6:
	leaq	(%rsi,%rcx,4), %rax
	leaq	(%rdi,%rcx,4), %rcx
	addq	$4, %rcx
	xorl	%edx, %edx
	vmovss	.LCPI0_0(%rip), %xmm2           # xmm2 = mem[0],zero,zero,zero
	vmovss	.LCPI0_1(%rip), %xmm3           # xmm3 = mem[0],zero,zero,zero
	.p2align	4, 0x90
.LBB0_7:                                # =>This Inner Loop Header: Depth=1
	vmovaps	%xmm0, %xmm4
	vmovss	(%rcx,%rdx,4), %xmm0            # xmm0 = mem[0],zero,zero,zero
	vaddss	%xmm0, %xmm1, %xmm1
	vmulss	%xmm2, %xmm4, %xmm5
	vfmadd231ss	%xmm3, %xmm1, %xmm5     # xmm5 = (xmm1 * xmm3) + xmm5
	vmovss	%xmm5, (%rax,%rdx,4)
	incq	%rdx
	vmovaps	%xmm4, %xmm1
	cmpq	%rdx, %r8
	jne	.LBB0_7
.LBB0_8:
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
	addq	$24, %rdi
	leaq	1600(%rsi), %r8
	leaq	1728(%rsi), %r9
	leaq	1856(%rsi), %r10
	addq	$1984, %rsi                     # imm = 0x7C0
	xorl	%r11d, %r11d
	.p2align	4, 0x90
.LBB1_1:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB1_2 Depth 2
                                        #     Child Loop BB1_4 Depth 2
                                        #     Child Loop BB1_6 Depth 2
                                        #     Child Loop BB1_8 Depth 2
	movq	%r11, %r14
	shlq	$6, %r14
	vxorpd	%xmm0, %xmm0, %xmm0
	movq	%r8, %rcx
	xorl	%ebx, %ebx
	vxorpd	%xmm1, %xmm1, %xmm1
	.p2align	4, 0x90
.LBB1_2:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vbroadcastsd	-24(%rdi,%rbx,8), %zmm2
	vfmadd231pd	-1600(%rcx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1536(%rcx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-16(%rdi,%rbx,8), %zmm2
	vfmadd231pd	-1088(%rcx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1024(%rcx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-8(%rdi,%rbx,8), %zmm3
	vmovapd	%zmm0, %zmm2
	vfmadd231pd	-576(%rcx), %zmm3, %zmm2 # zmm2 = (zmm3 * mem) + zmm2
	vmovapd	%zmm1, %zmm5
	vfmadd231pd	-512(%rcx), %zmm3, %zmm5 # zmm5 = (zmm3 * mem) + zmm5
	vmovupd	-64(%rcx), %zmm4
	vmovupd	(%rcx), %zmm3
	vbroadcastsd	(%rdi,%rbx,8), %zmm6
	vmovapd	%zmm4, %zmm0
	vfmadd213pd	%zmm2, %zmm6, %zmm0     # zmm0 = (zmm6 * zmm0) + zmm2
	vmovapd	%zmm3, %zmm1
	vfmadd213pd	%zmm5, %zmm6, %zmm1     # zmm1 = (zmm6 * zmm1) + zmm5
	addq	$4, %rbx
	addq	$2048, %rcx                     # imm = 0x800
	cmpq	$64, %rbx
	jne	.LBB1_2
# %bb.3:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%zmm5, %zmm6, %zmm3     # zmm3 = (zmm6 * zmm3) + zmm5
	vfmadd213pd	%zmm2, %zmm6, %zmm4     # zmm4 = (zmm6 * zmm4) + zmm2
	vmovupd	%zmm4, (%rdx,%r14,8)
	vmovupd	%zmm3, 64(%rdx,%r14,8)
	movq	%r14, %rcx
	orq	$16, %rcx
	vxorpd	%xmm0, %xmm0, %xmm0
	movq	%r9, %rbx
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	.p2align	4, 0x90
.LBB1_4:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vbroadcastsd	-24(%rdi,%rax,8), %zmm2
	vfmadd231pd	-1600(%rbx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1536(%rbx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-16(%rdi,%rax,8), %zmm2
	vfmadd231pd	-1088(%rbx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1024(%rbx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-8(%rdi,%rax,8), %zmm3
	vmovapd	%zmm0, %zmm2
	vfmadd231pd	-576(%rbx), %zmm3, %zmm2 # zmm2 = (zmm3 * mem) + zmm2
	vmovapd	%zmm1, %zmm5
	vfmadd231pd	-512(%rbx), %zmm3, %zmm5 # zmm5 = (zmm3 * mem) + zmm5
	vmovupd	-64(%rbx), %zmm4
	vmovupd	(%rbx), %zmm3
	vbroadcastsd	(%rdi,%rax,8), %zmm6
	vmovapd	%zmm4, %zmm0
	vfmadd213pd	%zmm2, %zmm6, %zmm0     # zmm0 = (zmm6 * zmm0) + zmm2
	vmovapd	%zmm3, %zmm1
	vfmadd213pd	%zmm5, %zmm6, %zmm1     # zmm1 = (zmm6 * zmm1) + zmm5
	addq	$4, %rax
	addq	$2048, %rbx                     # imm = 0x800
	cmpq	$64, %rax
	jne	.LBB1_4
# %bb.5:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%zmm5, %zmm6, %zmm3     # zmm3 = (zmm6 * zmm3) + zmm5
	vfmadd213pd	%zmm2, %zmm6, %zmm4     # zmm4 = (zmm6 * zmm4) + zmm2
	vmovupd	%zmm4, (%rdx,%rcx,8)
	vmovupd	%zmm3, 64(%rdx,%rcx,8)
	movq	%r14, %rcx
	orq	$32, %rcx
	vxorpd	%xmm0, %xmm0, %xmm0
	movq	%r10, %rbx
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	.p2align	4, 0x90
.LBB1_6:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vbroadcastsd	-24(%rdi,%rax,8), %zmm2
	vfmadd231pd	-1600(%rbx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1536(%rbx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-16(%rdi,%rax,8), %zmm2
	vfmadd231pd	-1088(%rbx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1024(%rbx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-8(%rdi,%rax,8), %zmm3
	vmovapd	%zmm0, %zmm2
	vfmadd231pd	-576(%rbx), %zmm3, %zmm2 # zmm2 = (zmm3 * mem) + zmm2
	vmovapd	%zmm1, %zmm5
	vfmadd231pd	-512(%rbx), %zmm3, %zmm5 # zmm5 = (zmm3 * mem) + zmm5
	vmovupd	-64(%rbx), %zmm4
	vmovupd	(%rbx), %zmm3
	vbroadcastsd	(%rdi,%rax,8), %zmm6
	vmovapd	%zmm4, %zmm0
	vfmadd213pd	%zmm2, %zmm6, %zmm0     # zmm0 = (zmm6 * zmm0) + zmm2
	vmovapd	%zmm3, %zmm1
	vfmadd213pd	%zmm5, %zmm6, %zmm1     # zmm1 = (zmm6 * zmm1) + zmm5
	addq	$4, %rax
	addq	$2048, %rbx                     # imm = 0x800
	cmpq	$64, %rax
	jne	.LBB1_6
# %bb.7:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%zmm5, %zmm6, %zmm3     # zmm3 = (zmm6 * zmm3) + zmm5
	vfmadd213pd	%zmm2, %zmm6, %zmm4     # zmm4 = (zmm6 * zmm4) + zmm2
	vmovupd	%zmm4, (%rdx,%rcx,8)
	vmovupd	%zmm3, 64(%rdx,%rcx,8)
	orq	$48, %r14
	vxorpd	%xmm0, %xmm0, %xmm0
	movq	%rsi, %rcx
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	.p2align	4, 0x90
.LBB1_8:                                #   Parent Loop BB1_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vbroadcastsd	-24(%rdi,%rax,8), %zmm2
	vfmadd231pd	-1600(%rcx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1536(%rcx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-16(%rdi,%rax,8), %zmm2
	vfmadd231pd	-1088(%rcx), %zmm2, %zmm0 # zmm0 = (zmm2 * mem) + zmm0
	vfmadd231pd	-1024(%rcx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
	vbroadcastsd	-8(%rdi,%rax,8), %zmm4
	vmovapd	%zmm0, %zmm2
	vfmadd231pd	-576(%rcx), %zmm4, %zmm2 # zmm2 = (zmm4 * mem) + zmm2
	vmovapd	%zmm1, %zmm3
	vfmadd231pd	-512(%rcx), %zmm4, %zmm3 # zmm3 = (zmm4 * mem) + zmm3
	vmovupd	-64(%rcx), %zmm5
	vmovupd	(%rcx), %zmm4
	vbroadcastsd	(%rdi,%rax,8), %zmm6
	vmovapd	%zmm5, %zmm0
	vfmadd213pd	%zmm2, %zmm6, %zmm0     # zmm0 = (zmm6 * zmm0) + zmm2
	vmovapd	%zmm4, %zmm1
	vfmadd213pd	%zmm3, %zmm6, %zmm1     # zmm1 = (zmm6 * zmm1) + zmm3
	addq	$4, %rax
	addq	$2048, %rcx                     # imm = 0x800
	cmpq	$64, %rax
	jne	.LBB1_8
# %bb.9:                                #   in Loop: Header=BB1_1 Depth=1
	vfmadd213pd	%zmm2, %zmm6, %zmm5     # zmm5 = (zmm6 * zmm5) + zmm2
	vmovupd	%zmm5, (%rdx,%r14,8)
	vfmadd213pd	%zmm3, %zmm6, %zmm4     # zmm4 = (zmm6 * zmm4) + zmm3
	vmovupd	%zmm4, 64(%rdx,%r14,8)
	incq	%r11
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
	incq	%rdx
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
	testq	%rcx, %rcx
	jle	.LBB3_1
# %bb.2:
	addq	$48, %rsi
	addq	$64, %rdi
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm9, %xmm9, %xmm9
	vxorps	%xmm10, %xmm10, %xmm10
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm12, %xmm12, %xmm12
	vxorps	%xmm13, %xmm13, %xmm13
	vxorps	%xmm14, %xmm14, %xmm14
	vxorps	%xmm15, %xmm15, %xmm15
	vxorps	%xmm16, %xmm16, %xmm16
	vxorps	%xmm17, %xmm17, %xmm17
	vxorps	%xmm18, %xmm18, %xmm18
	vxorps	%xmm19, %xmm19, %xmm19
	vxorps	%xmm20, %xmm20, %xmm20
	vxorps	%xmm21, %xmm21, %xmm21
	vxorps	%xmm22, %xmm22, %xmm22
	vxorps	%xmm23, %xmm23, %xmm23
	vxorps	%xmm24, %xmm24, %xmm24
	vxorps	%xmm25, %xmm25, %xmm25
	vxorps	%xmm26, %xmm26, %xmm26
	vxorps	%xmm27, %xmm27, %xmm27
	.p2align	4, 0x90
.LBB3_3:                                # =>This Inner Loop Header: Depth=1
	vmovaps	-48(%rsi), %xmm4
	vmovaps	-32(%rsi), %xmm5
	vmovaps	-16(%rsi), %xmm6
	vmovaps	(%rsi), %xmm7
	vmovaps	-64(%rdi), %xmm0
	vmovaps	-48(%rdi), %xmm1
	vmovaps	-32(%rdi), %xmm2
	vmovaps	-16(%rdi), %xmm3
	vfmadd231ps	%xmm4, %xmm0, %xmm27    # xmm27 = (xmm0 * xmm4) + xmm27
	vfmadd231ps	%xmm5, %xmm0, %xmm26    # xmm26 = (xmm0 * xmm5) + xmm26
	vfmadd231ps	%xmm6, %xmm0, %xmm25    # xmm25 = (xmm0 * xmm6) + xmm25
	vfmadd231ps	%xmm0, %xmm7, %xmm24    # xmm24 = (xmm7 * xmm0) + xmm24
	vfmadd231ps	%xmm4, %xmm1, %xmm23    # xmm23 = (xmm1 * xmm4) + xmm23
	vfmadd231ps	%xmm5, %xmm1, %xmm22    # xmm22 = (xmm1 * xmm5) + xmm22
	vfmadd231ps	%xmm6, %xmm1, %xmm21    # xmm21 = (xmm1 * xmm6) + xmm21
	vfmadd231ps	%xmm1, %xmm7, %xmm20    # xmm20 = (xmm7 * xmm1) + xmm20
	vfmadd231ps	%xmm4, %xmm2, %xmm19    # xmm19 = (xmm2 * xmm4) + xmm19
	vfmadd231ps	%xmm5, %xmm2, %xmm18    # xmm18 = (xmm2 * xmm5) + xmm18
	vfmadd231ps	%xmm6, %xmm2, %xmm17    # xmm17 = (xmm2 * xmm6) + xmm17
	vfmadd231ps	%xmm2, %xmm7, %xmm16    # xmm16 = (xmm7 * xmm2) + xmm16
	vfmadd231ps	%xmm4, %xmm3, %xmm15    # xmm15 = (xmm3 * xmm4) + xmm15
	vfmadd231ps	%xmm5, %xmm3, %xmm14    # xmm14 = (xmm3 * xmm5) + xmm14
	vfmadd231ps	%xmm6, %xmm3, %xmm13    # xmm13 = (xmm3 * xmm6) + xmm13
	vfmadd231ps	%xmm3, %xmm7, %xmm12    # xmm12 = (xmm7 * xmm3) + xmm12
	vmovaps	(%rdi), %xmm0
	vfmadd231ps	%xmm4, %xmm0, %xmm11    # xmm11 = (xmm0 * xmm4) + xmm11
	vfmadd231ps	%xmm5, %xmm0, %xmm10    # xmm10 = (xmm0 * xmm5) + xmm10
	vfmadd231ps	%xmm6, %xmm0, %xmm9     # xmm9 = (xmm0 * xmm6) + xmm9
	vfmadd231ps	%xmm7, %xmm0, %xmm8     # xmm8 = (xmm0 * xmm7) + xmm8
	addq	$64, %rsi
	addq	$80, %rdi
	decq	%rcx
	jne	.LBB3_3
	jmp	.LBB3_4
.LBB3_1:
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm9, %xmm9, %xmm9
	vxorps	%xmm10, %xmm10, %xmm10
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm12, %xmm12, %xmm12
	vxorps	%xmm13, %xmm13, %xmm13
	vxorps	%xmm14, %xmm14, %xmm14
	vxorps	%xmm15, %xmm15, %xmm15
	vxorps	%xmm16, %xmm16, %xmm16
	vxorps	%xmm17, %xmm17, %xmm17
	vxorps	%xmm18, %xmm18, %xmm18
	vxorps	%xmm19, %xmm19, %xmm19
	vxorps	%xmm20, %xmm20, %xmm20
	vxorps	%xmm21, %xmm21, %xmm21
	vxorps	%xmm22, %xmm22, %xmm22
	vxorps	%xmm23, %xmm23, %xmm23
	vxorps	%xmm24, %xmm24, %xmm24
	vxorps	%xmm25, %xmm25, %xmm25
	vxorps	%xmm26, %xmm26, %xmm26
	vxorps	%xmm27, %xmm27, %xmm27
.LBB3_4:
	vmovaps	%xmm27, (%rdx)
	vmovaps	%xmm26, 16(%rdx)
	vmovaps	%xmm25, 32(%rdx)
	vmovaps	%xmm24, 48(%rdx)
	vmovaps	%xmm23, 64(%rdx)
	vmovaps	%xmm22, 80(%rdx)
	vmovaps	%xmm21, 96(%rdx)
	vmovaps	%xmm20, 112(%rdx)
	vmovaps	%xmm19, 128(%rdx)
	vmovaps	%xmm18, 144(%rdx)
	vmovaps	%xmm17, 160(%rdx)
	vmovaps	%xmm16, 176(%rdx)
	vmovaps	%xmm15, 192(%rdx)
	vmovaps	%xmm14, 208(%rdx)
	vmovaps	%xmm13, 224(%rdx)
	vmovaps	%xmm12, 240(%rdx)
	vmovaps	%xmm11, 256(%rdx)
	vmovaps	%xmm10, 272(%rdx)
	vmovaps	%xmm9, 288(%rdx)
	vmovaps	%xmm8, 304(%rdx)
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
	movq	%rdx, %r9
	movq	%rdi, -120(%rsp)                # 8-byte Spill
	leaq	448(%rdi), %rax
	xorl	%ecx, %ecx
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rdx, -112(%rsp)                # 8-byte Spill
	jmp	.LBB4_1
	.p2align	4, 0x90
.LBB4_8:                                #   in Loop: Header=BB4_1 Depth=1
	movq	-80(%rsp), %rcx                 # 8-byte Reload
	incq	%rcx
	movq	-88(%rsp), %r9                  # 8-byte Reload
	addq	$512, %r9                       # imm = 0x200
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
	movq	-120(%rsp), %rdx                # 8-byte Reload
	leaq	(%rdx,%rcx), %rbp
	movq	%rbp, -16(%rsp)                 # 8-byte Spill
	addq	%rdx, %rcx
	addq	$512, %rcx                      # imm = 0x200
	movq	%rcx, -24(%rsp)                 # 8-byte Spill
	leaq	32(%rdi), %rcx
	movq	%rcx, -32(%rsp)                 # 8-byte Spill
	leaq	48(%rdi), %rcx
	movq	%rcx, -40(%rsp)                 # 8-byte Spill
	leaq	64(%rdi), %rcx
	movq	%rcx, -48(%rsp)                 # 8-byte Spill
	leaq	80(%rdi), %rcx
	movq	%rcx, -56(%rsp)                 # 8-byte Spill
	leaq	96(%rdi), %rcx
	movq	%rcx, -64(%rsp)                 # 8-byte Spill
	movq	%rdi, %rcx
	movq	%rdi, -96(%rsp)                 # 8-byte Spill
	leaq	112(%rdi), %rcx
	movq	%rcx, -72(%rsp)                 # 8-byte Spill
	movq	%r9, -88(%rsp)                  # 8-byte Spill
	xorl	%r14d, %r14d
	jmp	.LBB4_2
	.p2align	4, 0x90
.LBB4_6:                                #   in Loop: Header=BB4_2 Depth=2
	movq	-120(%rsp), %rcx                # 8-byte Reload
	movq	-96(%rsp), %rdx                 # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm2
	vfmadd132ps	(%rsi,%r11,4){1to16}, %zmm1, %zmm2 # zmm2 = (zmm2 * mem) + zmm1
	movq	-104(%rsp), %rdx                # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm3
	vfmadd132ps	(%rsi,%rbp,4){1to16}, %zmm2, %zmm3 # zmm3 = (zmm3 * mem) + zmm2
	movq	-32(%rsp), %rdx                 # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm2
	vfmadd132ps	(%rsi,%r13,4){1to16}, %zmm3, %zmm2 # zmm2 = (zmm2 * mem) + zmm3
	movq	-40(%rsp), %rdx                 # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm3
	vfmadd132ps	(%rsi,%r12,4){1to16}, %zmm2, %zmm3 # zmm3 = (zmm3 * mem) + zmm2
	movq	-48(%rsp), %rdx                 # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm2
	vfmadd132ps	(%rsi,%r15,4){1to16}, %zmm3, %zmm2 # zmm2 = (zmm2 * mem) + zmm3
	movq	-56(%rsp), %rdx                 # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm3
	vfmadd132ps	(%rsi,%r10,4){1to16}, %zmm2, %zmm3 # zmm3 = (zmm3 * mem) + zmm2
	movq	-64(%rsp), %rdx                 # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm2
	vfmadd132ps	(%rsi,%rbx,4){1to16}, %zmm3, %zmm2 # zmm2 = (zmm2 * mem) + zmm3
	movq	-72(%rsp), %rdx                 # 8-byte Reload
	vmovups	(%rcx,%rdx,4), %zmm3
	vfmadd132ps	(%rsi,%r8,4){1to16}, %zmm2, %zmm3 # zmm3 = (zmm3 * mem) + zmm2
	movq	-112(%rsp), %rcx                # 8-byte Reload
	movq	-8(%rsp), %rdx                  # 8-byte Reload
	vmovups	%zmm3, (%rcx,%rdx,4)
.LBB4_7:                                #   in Loop: Header=BB4_2 Depth=2
	incq	%r14
	addq	$64, %r9
	cmpq	$8, %r14
	je	.LBB4_8
.LBB4_2:                                #   Parent Loop BB4_1 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB4_5 Depth 3
	movq	%r14, %rcx
	shlq	$4, %rcx
	movq	-96(%rsp), %rdx                 # 8-byte Reload
	leaq	(%rdx,%rcx), %rdi
	movq	-112(%rsp), %rdx                # 8-byte Reload
	movq	%rdi, -8(%rsp)                  # 8-byte Spill
	leaq	(%rdx,%rdi,4), %r8
	addq	-104(%rsp), %rcx                # 8-byte Folded Reload
	leaq	(%rdx,%rcx,4), %rbx
	leaq	(,%r14,8), %r11
	leaq	1(,%r14,8), %rbp
	leaq	2(,%r14,8), %r13
	leaq	3(,%r14,8), %r12
	leaq	4(,%r14,8), %r15
	movq	%r14, %rdi
	shlq	$5, %rdi
	leaq	(%rsi,%rdi), %rcx
	addq	$32, %rcx
	addq	%rsi, %rdi
	cmpq	-24(%rsp), %r8                  # 8-byte Folded Reload
	setb	-121(%rsp)                      # 1-byte Folded Spill
	cmpq	%rbx, -16(%rsp)                 # 8-byte Folded Reload
	setb	%dl
	cmpq	%rcx, %r8
	leaq	5(,%r14,8), %r10
	setb	%cl
	cmpq	%rbx, %rdi
	leaq	6(,%r14,8), %rbx
	leaq	7(,%r14,8), %r8
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
	vfmadd231ss	(%rsi,%rbp,4), %xmm3, %xmm2 # xmm2 = (xmm3 * mem) + xmm2
	vmovss	-320(%rax,%rcx,4), %xmm3        # xmm3 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r13,4), %xmm2, %xmm3 # xmm3 = (xmm3 * mem) + xmm2
	vmovss	-256(%rax,%rcx,4), %xmm2        # xmm2 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r12,4), %xmm3, %xmm2 # xmm2 = (xmm2 * mem) + xmm3
	vmovss	-192(%rax,%rcx,4), %xmm3        # xmm3 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r15,4), %xmm2, %xmm3 # xmm3 = (xmm3 * mem) + xmm2
	vmovss	-128(%rax,%rcx,4), %xmm2        # xmm2 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r10,4), %xmm3, %xmm2 # xmm2 = (xmm2 * mem) + xmm3
	vmovss	-64(%rax,%rcx,4), %xmm3         # xmm3 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%rbx,4), %xmm2, %xmm3 # xmm3 = (xmm3 * mem) + xmm2
	vmovss	(%rax,%rcx,4), %xmm2            # xmm2 = mem[0],zero,zero,zero
	vfmadd132ss	(%rsi,%r8,4), %xmm3, %xmm2 # xmm2 = (xmm2 * mem) + xmm3
	vmovss	%xmm2, (%r9,%rcx,4)
	incq	%rcx
	cmpq	$16, %rcx
	jne	.LBB4_5
	jmp	.LBB4_7
.LBB4_9:
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
	pushq	%r12
	pushq	%rbx
	subq	$32, %rsp
	movq	%rcx, %rbp
	movq	%rdx, %rbx
	movq	$0, 16(%rsp)
	movq	$63, (%rsp)
	movq	$1, 24(%rsp)
	movl	$0, 12(%rsp)
	movl	(%rdi), %r14d
	subq	$8, %rsp
	leaq	32(%rsp), %rax
	leaq	.L__unnamed_2(%rip), %rdi
	leaq	20(%rsp), %rcx
	leaq	24(%rsp), %r8
	leaq	8(%rsp), %r9
	movl	%r14d, %esi
	movl	$34, %edx
	pushq	$1
	pushq	$1
	pushq	%rax
	callq	__kmpc_for_static_init_8@PLT
	addq	$32, %rsp
	movq	(%rsp), %rax
	cmpq	$63, %rax
	movl	$63, %r10d
	cmovlq	%rax, %r10
	movq	%r10, (%rsp)
	movq	16(%rsp), %r11
	cmpq	%r10, %r11
	jle	.LBB6_1
.LBB6_8:
	leaq	.L__unnamed_2(%rip), %rdi
	movl	%r14d, %esi
	vzeroupper
	callq	__kmpc_for_static_fini@PLT
	addq	$32, %rsp
	popq	%rbx
	popq	%r12
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.LBB6_1:
	movq	(%rbp), %rdx
	movq	(%rbx), %rsi
	movq	%r11, %r9
	shlq	$10, %r9
	leaq	1024(%r9), %r8
	movq	%r11, %rax
	shlq	$12, %rax
	leaq	(%rsi,%rax), %rbx
	addq	$12, %rbx
	leaq	(%rdx,%rax), %rbp
	addq	$12, %rbp
	xorl	%r15d, %r15d
	vmovss	.LCPI6_0(%rip), %xmm0           # xmm0 = mem[0],zero,zero,zero
	vbroadcastss	.LCPI6_0(%rip), %zmm1   # zmm1 = [3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0,3.0E+0]
	jmp	.LBB6_2
	.p2align	4, 0x90
.LBB6_6:                                #   in Loop: Header=BB6_2 Depth=1
	movq	%r11, %rax
	shlq	$10, %rax
	vmovups	(%rdx,%rax,4), %zmm2
	vmovups	64(%rdx,%rax,4), %zmm3
	vmovups	128(%rdx,%rax,4), %zmm4
	vmovups	192(%rdx,%rax,4), %zmm5
	vfmadd213ps	(%rsi,%rax,4), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rax,4), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rax,4), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rax,4), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rax,4)
	vmovups	%zmm3, 64(%rsi,%rax,4)
	vmovups	%zmm4, 128(%rsi,%rax,4)
	vmovups	%zmm5, 192(%rsi,%rax,4)
	leaq	(,%rax,4), %rax
	movq	%rax, %rcx
	orq	$256, %rcx                      # imm = 0x100
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$512, %rcx                      # imm = 0x200
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$768, %rcx                      # imm = 0x300
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$1024, %rcx                     # imm = 0x400
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$1280, %rcx                     # imm = 0x500
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$1536, %rcx                     # imm = 0x600
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$1792, %rcx                     # imm = 0x700
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$2048, %rcx                     # imm = 0x800
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$2304, %rcx                     # imm = 0x900
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$2560, %rcx                     # imm = 0xA00
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$2816, %rcx                     # imm = 0xB00
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$3072, %rcx                     # imm = 0xC00
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$3328, %rcx                     # imm = 0xD00
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	movq	%rax, %rcx
	orq	$3584, %rcx                     # imm = 0xE00
	vmovups	(%rdx,%rcx), %zmm2
	vmovups	64(%rdx,%rcx), %zmm3
	vmovups	128(%rdx,%rcx), %zmm4
	vmovups	192(%rdx,%rcx), %zmm5
	vfmadd213ps	(%rsi,%rcx), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rcx), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rcx), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rcx), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rcx)
	vmovups	%zmm3, 64(%rsi,%rcx)
	vmovups	%zmm4, 128(%rsi,%rcx)
	vmovups	%zmm5, 192(%rsi,%rcx)
	orq	$3840, %rax                     # imm = 0xF00
	vmovups	(%rdx,%rax), %zmm2
	vmovups	64(%rdx,%rax), %zmm3
	vmovups	128(%rdx,%rax), %zmm4
	vmovups	192(%rdx,%rax), %zmm5
	vfmadd213ps	(%rsi,%rax), %zmm1, %zmm2 # zmm2 = (zmm1 * zmm2) + mem
	vfmadd213ps	64(%rsi,%rax), %zmm1, %zmm3 # zmm3 = (zmm1 * zmm3) + mem
	vfmadd213ps	128(%rsi,%rax), %zmm1, %zmm4 # zmm4 = (zmm1 * zmm4) + mem
	vfmadd213ps	192(%rsi,%rax), %zmm1, %zmm5 # zmm5 = (zmm1 * zmm5) + mem
	vmovups	%zmm2, (%rsi,%rax)
	vmovups	%zmm3, 64(%rsi,%rax)
	vmovups	%zmm4, 128(%rsi,%rax)
	vmovups	%zmm5, 192(%rsi,%rax)
.LBB6_7:                                #   in Loop: Header=BB6_2 Depth=1
	leaq	1(%r11), %rax
	incq	%r15
	addq	$4096, %rbx                     # imm = 0x1000
	addq	$4096, %rbp                     # imm = 0x1000
	cmpq	%r10, %r11
	movq	%rax, %r11
	je	.LBB6_8
.LBB6_2:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB6_5 Depth 2
	movq	%r15, %rax
	shlq	$10, %rax
	leaq	(%r9,%rax), %rcx
	addq	%r8, %rax
	leaq	(%rdx,%rax,4), %r12
	leaq	(%rsi,%rcx,4), %rdi
	cmpq	%r12, %rdi
	jae	.LBB6_6
# %bb.3:                                #   in Loop: Header=BB6_2 Depth=1
	leaq	(%rdx,%rcx,4), %rcx
	leaq	(%rsi,%rax,4), %rax
	cmpq	%rax, %rcx
	jae	.LBB6_6
# %bb.4:                                #   in Loop: Header=BB6_2 Depth=1
	xorl	%eax, %eax
	.p2align	4, 0x90
.LBB6_5:                                #   Parent Loop BB6_2 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vmovss	-12(%rbp,%rax,4), %xmm2         # xmm2 = mem[0],zero,zero,zero
	vfmadd213ss	-12(%rbx,%rax,4), %xmm0, %xmm2 # xmm2 = (xmm0 * xmm2) + mem
	vmovss	%xmm2, -12(%rbx,%rax,4)
	vmovss	-8(%rbp,%rax,4), %xmm2          # xmm2 = mem[0],zero,zero,zero
	vfmadd213ss	-8(%rbx,%rax,4), %xmm0, %xmm2 # xmm2 = (xmm0 * xmm2) + mem
	vmovss	%xmm2, -8(%rbx,%rax,4)
	vmovss	-4(%rbp,%rax,4), %xmm2          # xmm2 = mem[0],zero,zero,zero
	vfmadd213ss	-4(%rbx,%rax,4), %xmm0, %xmm2 # xmm2 = (xmm0 * xmm2) + mem
	vmovss	%xmm2, -4(%rbx,%rax,4)
	vmovss	(%rbp,%rax,4), %xmm2            # xmm2 = mem[0],zero,zero,zero
	vfmadd213ss	(%rbx,%rax,4), %xmm0, %xmm2 # xmm2 = (xmm0 * xmm2) + mem
	vmovss	%xmm2, (%rbx,%rax,4)
	addq	$4, %rax
	cmpq	$1024, %rax                     # imm = 0x400
	jne	.LBB6_5
	jmp	.LBB6_7
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

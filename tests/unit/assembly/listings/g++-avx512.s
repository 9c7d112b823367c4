	.file	"kernels.cc"
	.text
	.p2align 4
	.type	parallel._omp_fn.0, @function
parallel._omp_fn.0:
.LFB7:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 13, -24
	.cfi_offset 12, -32
	.cfi_offset 3, -40
	movq	%rdi, %rbx
	andq	$-64, %rsp
	call	omp_get_num_threads@PLT
	movslq	%eax, %r12
	call	omp_get_thread_num@PLT
	movslq	%eax, %rcx
	movl	$64, %eax
	cqto
	idivq	%r12
	cmpq	%rdx, %rcx
	jl	.L2
.L10:
	imulq	%rax, %rcx
	addq	%rcx, %rdx
	leaq	(%rax,%rdx), %r11
	cmpq	%r11, %rdx
	jge	.L16
	movq	%rdx, %rax
	movq	(%rbx), %rdi
	movq	8(%rbx), %rcx
	movq	%rdx, %r8
	salq	$10, %rax
	salq	$12, %r8
	leaq	1024(%rax), %r10
	vbroadcastss	.LC0(%rip), %zmm2
	vmovss	.LC0(%rip), %xmm1
	addq	%rcx, %r8
	leaq	0(,%r10,4), %rsi
	salq	$10, %r11
	leaq	-4092(%rdi), %r13
	leaq	-4096(%rdi), %r12
.L6:
	leaq	0(%r13,%rsi), %rdx
	movq	%r8, %rbx
	subq	%rdx, %rbx
	leaq	(%r12,%rsi), %r9
	xorl	%edx, %edx
	cmpq	$56, %rbx
	jbe	.L19
	.p2align 4,,10
	.p2align 3
.L9:
	vmovups	(%r9,%rdx), %zmm0
	vfmadd213ps	(%r8,%rdx), %zmm2, %zmm0
	vmovups	%zmm0, (%r8,%rdx)
	addq	$64, %rdx
	cmpq	$4096, %rdx
	jne	.L9
.L8:
	addq	$4096, %r8
	movq	%r10, %rax
	addq	$4096, %rsi
	cmpq	%r11, %r10
	je	.L15
	addq	$1024, %r10
	jmp	.L6
.L15:
	vzeroupper
.L16:
	leaq	-24(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L19:
	.cfi_restore_state
	salq	$2, %rax
	.p2align 4,,10
	.p2align 3
.L7:
	vmovss	(%rdi,%rax), %xmm0
	vfmadd213ss	(%rcx,%rax), %xmm1, %xmm0
	vmovss	%xmm0, (%rcx,%rax)
	addq	$4, %rax
	cmpq	%rax, %rsi
	jne	.L7
	jmp	.L8
.L2:
	incq	%rax
	xorl	%edx, %edx
	jmp	.L10
	.cfi_endproc
.LFE7:
	.size	parallel._omp_fn.0, .-parallel._omp_fn.0
	.p2align 4
	.globl	stencil
	.type	stencil, @function
stencil:
.LFB0:
	.cfi_startproc
	movq	%rdi, %rcx
	movq	%rdx, %rdi
	cmpq	$2, %rdx
	jle	.L49
	leaq	-3(%rdx), %rax
	leaq	-2(%rdx), %r8
	cmpq	$14, %rax
	jbe	.L34
	movq	%r8, %rdx
	shrq	$4, %rdx
	vbroadcastss	.LC3(%rip), %zmm3
	vbroadcastss	.LC5(%rip), %zmm2
	salq	$6, %rdx
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L23:
	vmulps	4(%rcx,%rax), %zmm3, %zmm1
	vmovups	(%rcx,%rax), %zmm6
	vaddps	8(%rcx,%rax), %zmm6, %zmm0
	vfmadd132ps	%zmm2, %zmm1, %zmm0
	vmovups	%zmm0, 4(%rsi,%rax)
	addq	$64, %rax
	cmpq	%rdx, %rax
	jne	.L23
	movq	%r8, %rdx
	andq	$-16, %rdx
	leaq	1(%rdx), %rax
	testb	$15, %r8b
	je	.L48
.L22:
	movq	%rdi, %r9
	subq	%rdx, %r9
	leaq	-2(%r9), %r10
	subq	$3, %r9
	cmpq	$6, %r9
	jbe	.L25
	vbroadcastss	.LC3(%rip), %ymm1
	vmovups	8(%rcx,%rdx,4), %ymm7
	vmulps	4(%rcx,%rdx,4), %ymm1, %ymm1
	vaddps	(%rcx,%rdx,4), %ymm7, %ymm0
	vfmadd132ps	.LC5(%rip){1to8}, %ymm1, %ymm0
	vmovups	%ymm0, 4(%rsi,%rdx,4)
	movq	%r10, %rdx
	andq	$-8, %rdx
	addq	%rdx, %rax
	andl	$7, %r10d
	je	.L48
.L25:
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	leaq	(%rcx,%rdx), %r10
	cmpq	%r8, %r9
	jge	.L27
	vmovq	4(%rcx,%rdx), %xmm1
	vmovq	-4(%r10), %xmm0
	vmovq	.LC8(%rip), %xmm2
	vaddps	%xmm1, %xmm0, %xmm0
	vmovq	(%r10), %xmm4
	vmovq	.LC9(%rip), %xmm3
	vmulps	%xmm2, %xmm0, %xmm0
	leaq	3(%rax), %r9
	vfmadd132ps	%xmm3, %xmm0, %xmm4
	vmovss	8(%rcx,%rdx), %xmm0
	vmovlps	%xmm4, (%rsi,%rax,4)
	cmpq	%r9, %r8
	jle	.L50
	leaq	12(%rcx,%rdx), %r9
	vinsertps	$0x10, (%r9), %xmm0, %xmm0
	vmovq	(%r9), %xmm4
	vmulps	%xmm3, %xmm0, %xmm0
	vaddps	%xmm4, %xmm1, %xmm1
	leaq	5(%rax), %r9
	vfmadd132ps	%xmm2, %xmm0, %xmm1
	vmovss	16(%rcx,%rdx), %xmm0
	vmovlps	%xmm1, 8(%rsi,%rdx)
	cmpq	%r9, %r8
	jle	.L51
	leaq	20(%rcx,%rdx), %r9
	vinsertps	$0x10, (%r9), %xmm0, %xmm0
	vmovq	(%r9), %xmm1
	vmulps	%xmm3, %xmm0, %xmm0
	vaddps	%xmm1, %xmm4, %xmm4
	leaq	7(%rax), %r9
	vfmadd132ps	%xmm2, %xmm0, %xmm4
	vmovss	24(%rcx,%rdx), %xmm0
	vmovlps	%xmm4, 16(%rsi,%rdx)
	cmpq	%r9, %r8
	jle	.L52
	leaq	28(%rcx,%rdx), %r9
	vinsertps	$0x10, (%r9), %xmm0, %xmm0
	vmovq	(%r9), %xmm4
	vmulps	%xmm3, %xmm0, %xmm0
	vaddps	%xmm4, %xmm1, %xmm1
	leaq	9(%rax), %r9
	vfmadd132ps	%xmm2, %xmm0, %xmm1
	vmovss	32(%rcx,%rdx), %xmm0
	vmovlps	%xmm1, 24(%rsi,%rdx)
	cmpq	%r9, %r8
	jle	.L53
	leaq	36(%rcx,%rdx), %r9
	vinsertps	$0x10, (%r9), %xmm0, %xmm0
	vmovq	(%r9), %xmm1
	vmulps	%xmm3, %xmm0, %xmm0
	vaddps	%xmm4, %xmm1, %xmm4
	leaq	11(%rax), %r9
	vfmadd132ps	%xmm2, %xmm0, %xmm4
	vmovss	40(%rcx,%rdx), %xmm0
	vmovlps	%xmm4, 32(%rsi,%rdx)
	cmpq	%r9, %r8
	jle	.L54
	leaq	44(%rcx,%rdx), %r9
	vinsertps	$0x10, (%r9), %xmm0, %xmm0
	vmovq	(%r9), %xmm4
	vmulps	%xmm3, %xmm0, %xmm0
	vaddps	%xmm1, %xmm4, %xmm1
	leaq	13(%rax), %r9
	vfmadd132ps	%xmm2, %xmm0, %xmm1
	vmovss	48(%rcx,%rdx), %xmm0
	vmovlps	%xmm1, 40(%rsi,%rdx)
	cmpq	%r9, %r8
	jle	.L55
	leaq	52(%rcx,%rdx), %r8
	vinsertps	$0x10, (%r8), %xmm0, %xmm0
	vmovq	(%r8), %xmm1
	vmulps	%xmm3, %xmm0, %xmm0
	vaddps	%xmm4, %xmm1, %xmm1
	addq	$14, %rax
	leaq	1(%rax), %r9
	vfmadd132ps	%xmm2, %xmm0, %xmm1
	vmovlps	%xmm1, 48(%rsi,%rdx)
	leaq	0(,%rax,4), %rdx
	.p2align 4,,10
	.p2align 3
.L27:
	vmovss	(%rcx,%rax,4), %xmm0
	vmovss	.LC3(%rip), %xmm2
	vmovss	4(%rcx,%rdx), %xmm4
	vmulss	%xmm2, %xmm0, %xmm5
	vaddss	-4(%rcx,%rdx), %xmm4, %xmm3
	vmovss	.LC5(%rip), %xmm1
	decq	%rdi
	vfmadd132ss	%xmm1, %xmm5, %xmm3
	vmovss	%xmm3, (%rsi,%rdx)
	cmpq	%r9, %rdi
	jle	.L48
	vmulss	%xmm2, %xmm4, %xmm4
	vmovss	8(%rcx,%rdx), %xmm3
	leaq	2(%rax), %r8
	vaddss	%xmm3, %xmm0, %xmm0
	vfmadd132ss	%xmm1, %xmm4, %xmm0
	vmovss	%xmm0, 4(%rsi,%rdx)
	cmpq	%r8, %rdi
	jle	.L48
	vmulss	%xmm2, %xmm3, %xmm5
	vmovss	12(%rcx,%rdx), %xmm0
	leaq	3(%rax), %r8
	vaddss	4(%rcx,%rdx), %xmm0, %xmm4
	vfmadd132ss	%xmm1, %xmm5, %xmm4
	vmovss	%xmm4, 8(%rsi,%rdx)
	cmpq	%r8, %rdi
	jle	.L48
	vmulss	%xmm2, %xmm0, %xmm0
	vmovss	16(%rcx,%rdx), %xmm4
	leaq	4(%rax), %r8
	vaddss	%xmm4, %xmm3, %xmm3
	vfmadd132ss	%xmm1, %xmm0, %xmm3
	vmovss	%xmm3, 12(%rsi,%rdx)
	cmpq	%r8, %rdi
	jle	.L48
	vmulss	%xmm2, %xmm4, %xmm4
	vmovss	20(%rcx,%rdx), %xmm0
	leaq	5(%rax), %r8
	vaddss	12(%rcx,%rdx), %xmm0, %xmm3
	vfmadd132ss	%xmm1, %xmm4, %xmm3
	vmovss	%xmm3, 16(%rsi,%rdx)
	cmpq	%r8, %rdi
	jle	.L48
	vmulss	%xmm2, %xmm0, %xmm0
	vmovss	24(%rcx,%rdx), %xmm3
	addq	$6, %rax
	vaddss	16(%rcx,%rdx), %xmm3, %xmm4
	vfmadd231ss	%xmm1, %xmm4, %xmm0
	vmovss	%xmm0, 20(%rsi,%rdx)
	cmpq	%rax, %rdi
	jle	.L48
	vmulss	%xmm2, %xmm3, %xmm3
	vmovss	28(%rcx,%rdx), %xmm0
	vaddss	20(%rcx,%rdx), %xmm0, %xmm0
	vfmadd132ss	%xmm1, %xmm3, %xmm0
	vmovss	%xmm0, 24(%rsi,%rdx)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L48:
	vzeroupper
.L49:
	ret
	.p2align 4,,10
	.p2align 3
.L51:
	addq	$4, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	jmp	.L27
.L54:
	addq	$10, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	jmp	.L27
	.p2align 4,,10
	.p2align 3
.L50:
	addq	$2, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	jmp	.L27
	.p2align 4,,10
	.p2align 3
.L52:
	addq	$6, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	jmp	.L27
.L34:
	xorl	%edx, %edx
	movl	$1, %eax
	jmp	.L22
.L53:
	addq	$8, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	jmp	.L27
.L55:
	addq	$12, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	jmp	.L27
	.cfi_endproc
.LFE0:
	.size	stencil, .-stencil
	.p2align 4
	.globl	product
	.type	product, @function
product:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %r10
	movq	%rdx, %r9
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	xorl	%r8d, %r8d
	pushq	%rbx
	.cfi_offset 3, -24
	leaq	32768(%rsi), %rbx
.L57:
	leaq	0(,%r8,8), %rdi
	leaq	(%r10,%rdi), %r11
	movq	%rbx, %rcx
	addq	%r9, %rdi
	xorl	%esi, %esi
.L59:
	vxorpd	%xmm1, %xmm1, %xmm1
	leaq	-32768(%rcx), %rax
	movq	%r11, %rdx
	vmovapd	%zmm1, %zmm2
	.p2align 4,,10
	.p2align 3
.L58:
	vbroadcastsd	(%rdx), %zmm0
	addq	$512, %rax
	vfmadd231pd	-512(%rax), %zmm0, %zmm2
	vfmadd231pd	-448(%rax), %zmm0, %zmm1
	addq	$8, %rdx
	cmpq	%rcx, %rax
	jne	.L58
	vmovupd	%zmm2, (%rdi,%rsi,8)
	vmovupd	%zmm1, 64(%rdi,%rsi,8)
	addq	$16, %rsi
	leaq	128(%rax), %rcx
	cmpq	$64, %rsi
	jne	.L59
	addq	$64, %r8
	cmpq	$4096, %r8
	jne	.L57
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	product, .-product
	.p2align 4
	.globl	sum
	.type	sum, @function
sum:
.LFB2:
	.cfi_startproc
	movq	%rdi, %rcx
	movq	%rsi, %rdx
	testq	%rsi, %rsi
	jle	.L73
	leaq	-1(%rsi), %rax
	cmpq	$14, %rax
	jbe	.L74
	shrq	$4, %rsi
	salq	$6, %rsi
	movq	%rdi, %rax
	addq	%rdi, %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	.p2align 4,,10
	.p2align 3
.L68:
	vaddss	(%rax), %xmm0, %xmm0
	addq	$64, %rax
	vaddss	-60(%rax), %xmm0, %xmm0
	vaddss	-56(%rax), %xmm0, %xmm0
	vaddss	-52(%rax), %xmm0, %xmm0
	vaddss	-48(%rax), %xmm0, %xmm0
	vaddss	-44(%rax), %xmm0, %xmm0
	vaddss	-40(%rax), %xmm0, %xmm0
	vaddss	-36(%rax), %xmm0, %xmm0
	vaddss	-32(%rax), %xmm0, %xmm0
	vaddss	-28(%rax), %xmm0, %xmm0
	vaddss	-24(%rax), %xmm0, %xmm0
	vaddss	-20(%rax), %xmm0, %xmm0
	vaddss	-16(%rax), %xmm0, %xmm0
	vaddss	-12(%rax), %xmm0, %xmm0
	vaddss	-8(%rax), %xmm0, %xmm0
	vaddss	-4(%rax), %xmm0, %xmm0
	cmpq	%rsi, %rax
	jne	.L68
	movq	%rdx, %rsi
	andq	$-16, %rsi
	movq	%rsi, %rax
	cmpq	%rsi, %rdx
	je	.L79
.L67:
	movq	%rdx, %rdi
	subq	%rax, %rdi
	leaq	-1(%rdi), %r8
	cmpq	$6, %r8
	jbe	.L71
	leaq	(%rcx,%rax,4), %rax
	vaddss	(%rax), %xmm0, %xmm0
	vaddss	4(%rax), %xmm0, %xmm0
	vaddss	8(%rax), %xmm0, %xmm0
	vaddss	12(%rax), %xmm0, %xmm0
	vaddss	16(%rax), %xmm0, %xmm0
	vaddss	20(%rax), %xmm0, %xmm0
	vaddss	24(%rax), %xmm0, %xmm0
	vaddss	28(%rax), %xmm0, %xmm0
	movq	%rdi, %rax
	andq	$-8, %rax
	addq	%rax, %rsi
	andl	$7, %edi
	je	.L65
.L71:
	leaq	1(%rsi), %rdi
	vaddss	(%rcx,%rsi,4), %xmm0, %xmm0
	leaq	0(,%rsi,4), %rax
	cmpq	%rdi, %rdx
	jle	.L65
	leaq	2(%rsi), %rdi
	vaddss	4(%rcx,%rax), %xmm0, %xmm0
	cmpq	%rdi, %rdx
	jle	.L65
	leaq	3(%rsi), %rdi
	vaddss	8(%rcx,%rax), %xmm0, %xmm0
	cmpq	%rdi, %rdx
	jle	.L65
	leaq	4(%rsi), %rdi
	vaddss	12(%rcx,%rax), %xmm0, %xmm0
	cmpq	%rdi, %rdx
	jle	.L65
	leaq	5(%rsi), %rdi
	vaddss	16(%rcx,%rax), %xmm0, %xmm0
	cmpq	%rdi, %rdx
	jle	.L65
	addq	$6, %rsi
	vaddss	20(%rcx,%rax), %xmm0, %xmm0
	cmpq	%rsi, %rdx
	jle	.L65
	vaddss	24(%rcx,%rax), %xmm0, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L73:
	vxorps	%xmm0, %xmm0, %xmm0
.L65:
	ret
.L74:
	xorl	%eax, %eax
	xorl	%esi, %esi
	vxorps	%xmm0, %xmm0, %xmm0
	jmp	.L67
.L79:
	ret
	.cfi_endproc
.LFE2:
	.size	sum, .-sum
	.p2align 4
	.globl	spill
	.type	spill, @function
spill:
.LFB3:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$200, %rsp
	vmovdqu8	%ymm0, -120(%rsp)
	vmovdqu8	%ymm0, -88(%rsp)
	vmovdqu8	%ymm0, -56(%rsp)
	vmovdqu8	%ymm0, -24(%rsp)
	vmovdqu8	%ymm0, 8(%rsp)
	vmovdqu8	%ymm0, 40(%rsp)
	vmovdqu8	%ymm0, 72(%rsp)
	vmovdqu8	%ymm0, 104(%rsp)
	vmovdqu8	%ymm0, 136(%rsp)
	vmovdqu8	%ymm0, 168(%rsp)
	testq	%rcx, %rcx
	jle	.L83
	vxorps	%xmm5, %xmm5, %xmm5
	movq	%rsi, %rax
	salq	$6, %rcx
	movq	%rdi, %rsi
	addq	%rax, %rcx
	vmovaps	%xmm5, %xmm6
	vmovaps	%xmm5, %xmm7
	vmovaps	%xmm5, %xmm8
	vmovaps	%xmm5, %xmm9
	vmovaps	%xmm5, %xmm10
	vmovaps	%xmm5, %xmm11
	vmovaps	%xmm5, %xmm12
	vmovaps	%xmm5, %xmm13
	vmovaps	%xmm5, %xmm14
	vmovaps	%xmm5, %xmm15
	vmovaps	%xmm5, %xmm16
	vmovaps	%xmm5, %xmm17
	vmovaps	%xmm5, %xmm18
	vmovaps	%xmm5, %xmm19
	vmovaps	%xmm5, %xmm20
	vmovaps	%xmm5, %xmm21
	vmovaps	%xmm5, %xmm22
	vmovaps	%xmm5, %xmm23
	vmovaps	%xmm5, %xmm24
	.p2align 4,,10
	.p2align 3
.L82:
	vmovaps	(%rsi), %xmm4
	vmovaps	(%rax), %xmm3
	vmovaps	16(%rax), %xmm2
	vmovaps	32(%rax), %xmm1
	vmovaps	48(%rax), %xmm0
	vfmadd231ps	%xmm3, %xmm4, %xmm24
	vfmadd231ps	%xmm2, %xmm4, %xmm23
	vfmadd231ps	%xmm1, %xmm4, %xmm22
	vfmadd231ps	%xmm0, %xmm4, %xmm21
	vmovaps	16(%rsi), %xmm4
	addq	$64, %rax
	vfmadd231ps	%xmm4, %xmm3, %xmm20
	vfmadd231ps	%xmm4, %xmm2, %xmm19
	vfmadd231ps	%xmm4, %xmm1, %xmm18
	vfmadd231ps	%xmm4, %xmm0, %xmm17
	vmovaps	32(%rsi), %xmm4
	addq	$80, %rsi
	vfmadd231ps	%xmm4, %xmm3, %xmm16
	vfmadd231ps	%xmm4, %xmm2, %xmm15
	vfmadd231ps	%xmm4, %xmm1, %xmm14
	vfmadd231ps	%xmm4, %xmm0, %xmm13
	vmovaps	-32(%rsi), %xmm4
	vfmadd231ps	%xmm4, %xmm3, %xmm12
	vfmadd231ps	%xmm4, %xmm2, %xmm11
	vfmadd231ps	%xmm4, %xmm1, %xmm10
	vfmadd231ps	%xmm4, %xmm0, %xmm9
	vmovaps	-16(%rsi), %xmm4
	vfmadd231ps	%xmm4, %xmm3, %xmm8
	vfmadd231ps	%xmm4, %xmm2, %xmm7
	vfmadd231ps	%xmm4, %xmm1, %xmm6
	vfmadd231ps	%xmm4, %xmm0, %xmm5
	cmpq	%rax, %rcx
	jne	.L82
	vmovaps	%xmm24, -120(%rsp)
	vmovaps	%xmm23, -104(%rsp)
	vmovaps	%xmm22, -88(%rsp)
	vmovaps	%xmm21, -72(%rsp)
	vmovaps	%xmm20, -56(%rsp)
	vmovaps	%xmm19, -40(%rsp)
	vmovaps	%xmm18, -24(%rsp)
	vmovaps	%xmm17, -8(%rsp)
	vmovaps	%xmm16, 8(%rsp)
	vmovaps	%xmm15, 24(%rsp)
	vmovaps	%xmm14, 40(%rsp)
	vmovaps	%xmm13, 56(%rsp)
	vmovaps	%xmm12, 72(%rsp)
	vmovaps	%xmm11, 88(%rsp)
	vmovaps	%xmm10, 104(%rsp)
	vmovaps	%xmm9, 120(%rsp)
	vmovaps	%xmm8, 136(%rsp)
	vmovaps	%xmm7, 152(%rsp)
	vmovaps	%xmm6, 168(%rsp)
	vmovaps	%xmm5, 184(%rsp)
.L83:
	vmovaps	-120(%rsp), %xmm5
	vmovaps	-104(%rsp), %xmm6
	vmovaps	-88(%rsp), %xmm7
	vmovaps	%xmm5, (%rdx)
	vmovaps	-72(%rsp), %xmm5
	vmovaps	%xmm6, 16(%rdx)
	vmovaps	%xmm7, 32(%rdx)
	vmovaps	-56(%rsp), %xmm6
	vmovaps	-40(%rsp), %xmm7
	vmovaps	%xmm5, 48(%rdx)
	vmovaps	-24(%rsp), %xmm5
	vmovaps	%xmm6, 64(%rdx)
	vmovaps	%xmm7, 80(%rdx)
	vmovaps	-8(%rsp), %xmm6
	vmovaps	8(%rsp), %xmm7
	vmovaps	%xmm5, 96(%rdx)
	vmovaps	24(%rsp), %xmm5
	vmovaps	%xmm6, 112(%rdx)
	vmovaps	%xmm7, 128(%rdx)
	vmovaps	40(%rsp), %xmm6
	vmovaps	56(%rsp), %xmm7
	vmovaps	%xmm5, 144(%rdx)
	vmovaps	72(%rsp), %xmm5
	vmovaps	%xmm6, 160(%rdx)
	vmovaps	%xmm7, 176(%rdx)
	vmovaps	88(%rsp), %xmm6
	vmovaps	104(%rsp), %xmm7
	vmovaps	%xmm5, 192(%rdx)
	vmovaps	120(%rsp), %xmm5
	vmovaps	%xmm7, 224(%rdx)
	vmovaps	%xmm5, 240(%rdx)
	vmovaps	%xmm6, 208(%rdx)
	vmovaps	136(%rsp), %xmm6
	vmovaps	152(%rsp), %xmm7
	vmovaps	168(%rsp), %xmm5
	vmovaps	%xmm6, 256(%rdx)
	vmovaps	184(%rsp), %xmm6
	vmovaps	%xmm7, 272(%rdx)
	vmovaps	%xmm5, 288(%rdx)
	vmovaps	%xmm6, 304(%rdx)
	vzeroupper
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	spill, .-spill
	.p2align 4
	.globl	peeled
	.type	peeled, @function
peeled:
.LFB4:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %rax
	movq	%rdi, %rdx
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	leaq	4(%rdx), %rcx
	.cfi_offset 15, -24
	xorl	%r15d, %r15d
	pushq	%r14
	leaq	192(%rdi), %r11
	leaq	256(%rdi), %r10
	pushq	%r13
	leaq	320(%rdi), %r9
	leaq	384(%rdi), %r8
	pushq	%r12
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%rax, %r14
	leaq	64(%rdi), %r12
	pushq	%rbx
	vxorps	%xmm1, %xmm1, %xmm1
	.cfi_offset 3, -56
	leaq	128(%rdi), %rbx
	andq	$-64, %rsp
	movq	%rcx, -8(%rsp)
	leaq	256(%rsi), %rcx
	movq	%rcx, -16(%rsp)
	movq	%rsi, -32(%rsp)
	addq	$448, %rdi
	vxorps	%xmm2, %xmm2, %xmm2
	movq	%r15, %rax
.L89:
	movq	%rdi, -24(%rsp)
	movq	%rax, -40(%rsp)
	movq	%r14, -48(%rsp)
	movq	-32(%rsp), %rsi
	movq	%r14, %rcx
	movq	%r14, %r13
.L96:
	movq	%r13, %r14
	movq	%rsi, %rax
	addq	$64, %r13
	addq	$32, %rsi
	cmpq	%r13, %rax
	setnb	%r15b
	cmpq	%rsi, %r14
	setnb	%dil
	orb	%dil, %r15b
	je	.L97
	movq	-8(%rsp), %rdi
	movq	%r14, %r15
	subq	%rdi, %r15
	cmpq	$504, %r15
	jbe	.L97
	vbroadcastss	(%rax), %zmm0
	vbroadcastss	4(%rax), %zmm5
	vfmadd132ps	(%rdx), %zmm2, %zmm0
	vbroadcastss	8(%rax), %zmm6
	vbroadcastss	12(%rax), %zmm7
	vfmadd231ps	64(%rdx), %zmm5, %zmm0
	vbroadcastss	16(%rax), %zmm5
	vfmadd231ps	128(%rdx), %zmm6, %zmm0
	vbroadcastss	20(%rax), %zmm6
	vfmadd231ps	192(%rdx), %zmm7, %zmm0
	vbroadcastss	24(%rax), %zmm7
	vfmadd231ps	256(%rdx), %zmm5, %zmm0
	vbroadcastss	28(%rax), %zmm5
	vfmadd231ps	320(%rdx), %zmm6, %zmm0
	vfmadd231ps	384(%rdx), %zmm7, %zmm0
	vfmadd231ps	448(%rdx), %zmm5, %zmm0
	vmovups	%zmm0, (%r14)
.L91:
	movq	-16(%rsp), %rax
	addq	$64, %rcx
	cmpq	%rax, %rsi
	jne	.L96
	movq	-40(%rsp), %rax
	movq	-24(%rsp), %rdi
	movq	-48(%rsp), %r14
	addq	$8, %rax
	addq	$512, -8(%rsp)
	addq	$512, %rdx
	addq	$512, %r12
	addq	$512, %rbx
	addq	$512, %r11
	addq	$512, %r10
	addq	$512, %r9
	addq	$512, %r8
	addq	$512, %rdi
	addq	$512, %r14
	cmpq	$64, %rax
	jne	.L89
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L97:
	.cfi_restore_state
	movq	-24(%rsp), %rdi
	xorl	%r14d, %r14d
	.p2align 4,,10
	.p2align 3
.L90:
	vmovss	(%rax), %xmm0
	vmovss	4(%rax), %xmm3
	vfmadd132ss	(%rdx,%r14,4), %xmm1, %xmm0
	vmovss	8(%rax), %xmm4
	vmovss	12(%rax), %xmm5
	vmovss	16(%rax), %xmm6
	vmovss	20(%rax), %xmm7
	vfmadd231ss	(%r12,%r14,4), %xmm3, %xmm0
	vmovss	24(%rax), %xmm3
	vfmadd231ss	(%rbx,%r14,4), %xmm4, %xmm0
	vmovss	28(%rax), %xmm4
	vfmadd231ss	(%r11,%r14,4), %xmm5, %xmm0
	vfmadd231ss	(%r10,%r14,4), %xmm6, %xmm0
	vfmadd231ss	(%r9,%r14,4), %xmm7, %xmm0
	vfmadd231ss	(%r8,%r14,4), %xmm3, %xmm0
	vfmadd231ss	(%rdi,%r14,4), %xmm4, %xmm0
	vmovss	%xmm0, (%rcx,%r14,4)
	incq	%r14
	cmpq	$16, %r14
	jne	.L90
	movq	%rdi, -24(%rsp)
	jmp	.L91
	.cfi_endproc
.LFE4:
	.size	peeled, .-peeled
	.p2align 4
	.globl	parallel
	.type	parallel, @function
parallel:
.LFB5:
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	movq	%rsi, 8(%rsp)
	movq	%rdi, (%rsp)
	movq	%rsp, %rsi
	xorl	%ecx, %ecx
	xorl	%edx, %edx
	leaq	parallel._omp_fn.0(%rip), %rdi
	call	GOMP_parallel@PLT
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE5:
	.size	parallel, .-parallel
	.p2align 4
	.globl	straight
	.type	straight, @function
straight:
.LFB6:
	.cfi_startproc
	vmovss	(%rdi), %xmm0
	vmulss	4(%rdi), %xmm0, %xmm0
	vmovss	%xmm0, (%rsi)
	ret
	.cfi_endproc
.LFE6:
	.size	straight, .-straight
	.section	.rodata.cst4,"aM",@progbits,4
	.align 4
.LC0:
	.long	1077936128
	.set	.LC3,.LC9
	.set	.LC5,.LC8
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC8:
	.long	1048576000
	.long	1048576000
	.align 8
.LC9:
	.long	1056964608
	.long	1056964608
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits

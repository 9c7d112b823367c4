	.file	"kernels.cc"
	.text
	.p2align 4
	.type	parallel._omp_fn.0, @function
parallel._omp_fn.0:
.LFB7:
	.cfi_startproc
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	movq	%rdi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	call	omp_get_num_threads@PLT
	movslq	%eax, %rbx
	call	omp_get_thread_num@PLT
	movslq	%eax, %rcx
	movl	$64, %eax
	cqto
	idivq	%rbx
	cmpq	%rdx, %rcx
	jl	.L2
.L10:
	imulq	%rax, %rcx
	addq	%rcx, %rdx
	leaq	(%rax,%rdx), %r11
	cmpq	%r11, %rdx
	jge	.L1
	movq	%rdx, %rax
	movq	8(%rbp), %rsi
	movq	0(%rbp), %r9
	movq	%rdx, %rcx
	salq	$10, %rax
	movss	.LC0(%rip), %xmm1
	salq	$12, %rcx
	movss	.LC0(%rip), %xmm2
	leaq	1024(%rax), %r10
	addq	%rsi, %rcx
	salq	$10, %r11
	leaq	-4092(%r9), %r12
	leaq	0(,%r10,4), %rdi
	leaq	-4096(%r9), %rbp
	shufps	$0, %xmm1, %xmm1
.L6:
	leaq	(%r12,%rdi), %rdx
	movq	%rcx, %rbx
	leaq	0(%rbp,%rdi), %r8
	subq	%rdx, %rbx
	xorl	%edx, %edx
	cmpq	$8, %rbx
	jbe	.L17
	.p2align 4,,10
	.p2align 3
.L9:
	movups	(%r8,%rdx), %xmm0
	movups	(%rcx,%rdx), %xmm3
	mulps	%xmm1, %xmm0
	addps	%xmm3, %xmm0
	movups	%xmm0, (%rcx,%rdx)
	addq	$16, %rdx
	cmpq	$4096, %rdx
	jne	.L9
.L8:
	addq	$4096, %rcx
	movq	%r10, %rax
	addq	$4096, %rdi
	cmpq	%r11, %r10
	je	.L1
	addq	$1024, %r10
	jmp	.L6
.L1:
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	ret
.L17:
	.cfi_restore_state
	salq	$2, %rax
	.p2align 4,,10
	.p2align 3
.L7:
	movss	(%r9,%rax), %xmm0
	mulss	%xmm2, %xmm0
	addss	(%rsi,%rax), %xmm0
	movss	%xmm0, (%rsi,%rax)
	addq	$4, %rax
	cmpq	%rax, %rdi
	jne	.L7
	jmp	.L8
.L2:
	addq	$1, %rax
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
	cmpq	$2, %rdx
	jle	.L18
	leaq	-3(%rdx), %rax
	leaq	-2(%rdx), %rdi
	cmpq	$2, %rax
	jbe	.L25
	movq	%rdi, %r8
	movss	.LC3(%rip), %xmm3
	movss	.LC5(%rip), %xmm2
	xorl	%eax, %eax
	shrq	$2, %r8
	salq	$4, %r8
	shufps	$0, %xmm3, %xmm3
	shufps	$0, %xmm2, %xmm2
	.p2align 4,,10
	.p2align 3
.L21:
	movups	(%rcx,%rax), %xmm0
	movups	8(%rcx,%rax), %xmm4
	movups	4(%rcx,%rax), %xmm1
	addps	%xmm4, %xmm0
	mulps	%xmm2, %xmm1
	mulps	%xmm3, %xmm0
	addps	%xmm1, %xmm0
	movups	%xmm0, 4(%rsi,%rax)
	addq	$16, %rax
	cmpq	%r8, %rax
	jne	.L21
	testb	$3, %dil
	je	.L18
	andq	$-4, %rdi
	leaq	1(%rdi), %rax
.L20:
	subq	%rdi, %rdx
	leaq	-2(%rdx), %r8
	cmpq	$3, %rdx
	je	.L23
	leaq	0(,%rdi,4), %rdx
	movq	(%rcx,%rdi,4), %xmm1
	movq	.LC7(%rip), %xmm2
	movq	8(%rcx,%rdx), %xmm0
	addps	%xmm1, %xmm0
	movq	.LC6(%rip), %xmm1
	mulps	%xmm1, %xmm0
	movq	4(%rcx,%rdx), %xmm1
	mulps	%xmm2, %xmm1
	addps	%xmm1, %xmm0
	movlps	%xmm0, 4(%rsi,%rdx)
	testb	$1, %r8b
	je	.L18
	andq	$-2, %r8
	addq	%r8, %rax
.L23:
	movss	-4(%rcx,%rax,4), %xmm0
	movss	.LC5(%rip), %xmm1
	addss	4(%rcx,%rax,4), %xmm0
	mulss	(%rcx,%rax,4), %xmm1
	mulss	.LC3(%rip), %xmm0
	addss	%xmm1, %xmm0
	movss	%xmm0, (%rsi,%rax,4)
.L18:
	ret
.L25:
	xorl	%edi, %edi
	movl	$1, %eax
	jmp	.L20
	.cfi_endproc
.LFE0:
	.size	stencil, .-stencil
	.p2align 4
	.globl	product
	.type	product, @function
product:
.LFB1:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq	%rdi, %r10
	movq	%rdx, %r8
	xorl	%r9d, %r9d
	leaq	32768(%rsi), %rbx
.L37:
	movq	%rbx, %rcx
	leaq	(%r10,%r9,8), %r11
	movq	%r8, %rsi
	xorl	%edi, %edi
.L39:
	pxor	%xmm2, %xmm2
	leaq	-32768(%rcx), %rax
	movq	%r11, %rdx
	movapd	%xmm2, %xmm3
	movapd	%xmm2, %xmm4
	movapd	%xmm2, %xmm5
	movapd	%xmm2, %xmm6
	movapd	%xmm2, %xmm7
	movapd	%xmm2, %xmm8
	movapd	%xmm2, %xmm9
	.p2align 4,,10
	.p2align 3
.L38:
	movupd	(%rax), %xmm1
	movddup	(%rdx), %xmm0
	addq	$512, %rax
	addq	$8, %rdx
	mulpd	%xmm0, %xmm1
	addpd	%xmm1, %xmm9
	movupd	-496(%rax), %xmm1
	mulpd	%xmm0, %xmm1
	addpd	%xmm1, %xmm8
	movupd	-480(%rax), %xmm1
	mulpd	%xmm0, %xmm1
	addpd	%xmm1, %xmm7
	movupd	-464(%rax), %xmm1
	mulpd	%xmm0, %xmm1
	addpd	%xmm1, %xmm6
	movupd	-448(%rax), %xmm1
	mulpd	%xmm0, %xmm1
	addpd	%xmm1, %xmm5
	movupd	-432(%rax), %xmm1
	mulpd	%xmm0, %xmm1
	addpd	%xmm1, %xmm4
	movupd	-416(%rax), %xmm1
	mulpd	%xmm0, %xmm1
	addpd	%xmm1, %xmm3
	movupd	-400(%rax), %xmm1
	mulpd	%xmm1, %xmm0
	addpd	%xmm0, %xmm2
	cmpq	%rcx, %rax
	jne	.L38
	addq	$16, %rdi
	movups	%xmm9, (%rsi)
	leaq	128(%rax), %rcx
	subq	$-128, %rsi
	movups	%xmm8, -112(%rsi)
	movups	%xmm7, -96(%rsi)
	movups	%xmm6, -80(%rsi)
	movups	%xmm5, -64(%rsi)
	movups	%xmm4, -48(%rsi)
	movups	%xmm3, -32(%rsi)
	movups	%xmm2, -16(%rsi)
	cmpq	$64, %rdi
	jne	.L39
	addq	$64, %r9
	addq	$512, %r8
	cmpq	$4096, %r9
	jne	.L37
	popq	%rbx
	.cfi_def_cfa_offset 8
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
	testq	%rsi, %rsi
	jle	.L50
	leaq	-1(%rsi), %rax
	cmpq	$2, %rax
	jbe	.L51
	movq	%rsi, %rdx
	movq	%rdi, %rax
	pxor	%xmm0, %xmm0
	shrq	$2, %rdx
	salq	$4, %rdx
	addq	%rdi, %rdx
	.p2align 4,,10
	.p2align 3
.L47:
	addss	(%rax), %xmm0
	addq	$16, %rax
	addss	-12(%rax), %xmm0
	addss	-8(%rax), %xmm0
	addss	-4(%rax), %xmm0
	cmpq	%rax, %rdx
	jne	.L47
	movq	%rsi, %rax
	andq	$-4, %rax
	testb	$3, %sil
	je	.L53
.L46:
	leaq	1(%rax), %rdi
	addss	(%rcx,%rax,4), %xmm0
	leaq	0(,%rax,4), %rdx
	cmpq	%rdi, %rsi
	jle	.L44
	addq	$2, %rax
	addss	4(%rcx,%rdx), %xmm0
	cmpq	%rax, %rsi
	jle	.L44
	addss	8(%rcx,%rdx), %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L50:
	pxor	%xmm0, %xmm0
.L44:
	ret
	.p2align 4,,10
	.p2align 3
.L53:
	ret
.L51:
	xorl	%eax, %eax
	pxor	%xmm0, %xmm0
	jmp	.L46
	.cfi_endproc
.LFE2:
	.size	sum, .-sum
	.p2align 4
	.globl	spill
	.type	spill, @function
spill:
.LFB3:
	.cfi_startproc
	subq	$368, %rsp
	.cfi_def_cfa_offset 376
	movq	%rdi, %r8
	movq	%rcx, %r9
	xorl	%eax, %eax
	leaq	40(%rsp), %rdi
	movl	$40, %ecx
	rep stosq
	testq	%r9, %r9
	jle	.L57
	pxor	%xmm5, %xmm5
	salq	$6, %r9
	movq	%rsi, %rax
	movq	%r8, %rcx
	leaq	(%rsi,%r9), %rsi
	movaps	%xmm5, %xmm6
	movaps	%xmm5, %xmm7
	movaps	%xmm5, -8(%rsp)
	movaps	%xmm5, %xmm8
	movaps	%xmm5, %xmm9
	movaps	%xmm5, %xmm10
	movaps	%xmm5, 8(%rsp)
	movaps	%xmm5, %xmm11
	movaps	%xmm5, %xmm12
	movaps	%xmm5, 24(%rsp)
	movaps	%xmm5, %xmm13
	movaps	%xmm5, -24(%rsp)
	movaps	%xmm5, %xmm14
	movaps	%xmm5, -104(%rsp)
	movaps	%xmm5, -72(%rsp)
	movaps	%xmm5, -120(%rsp)
	movaps	%xmm5, -56(%rsp)
	movaps	%xmm5, -88(%rsp)
	movaps	%xmm5, -40(%rsp)
	.p2align 4,,10
	.p2align 3
.L56:
	movaps	(%rcx), %xmm4
	movaps	(%rax), %xmm3
	addq	$64, %rax
	addq	$80, %rcx
	movaps	-48(%rax), %xmm2
	movaps	-32(%rax), %xmm1
	movaps	%xmm4, %xmm0
	movaps	%xmm3, %xmm15
	mulps	%xmm3, %xmm0
	addps	%xmm0, %xmm14
	movaps	%xmm4, %xmm0
	mulps	%xmm2, %xmm0
	addps	%xmm0, %xmm13
	movaps	%xmm4, %xmm0
	mulps	%xmm1, %xmm0
	addps	-40(%rsp), %xmm0
	movaps	%xmm0, -40(%rsp)
	movaps	-16(%rax), %xmm0
	mulps	%xmm0, %xmm4
	addps	-88(%rsp), %xmm4
	movaps	%xmm4, -88(%rsp)
	movaps	-64(%rcx), %xmm4
	mulps	%xmm4, %xmm15
	addps	-56(%rsp), %xmm15
	movaps	%xmm15, -56(%rsp)
	movaps	%xmm2, %xmm15
	mulps	%xmm4, %xmm15
	addps	-120(%rsp), %xmm15
	movaps	%xmm15, -120(%rsp)
	movaps	%xmm1, %xmm15
	mulps	%xmm4, %xmm15
	mulps	%xmm0, %xmm4
	addps	-72(%rsp), %xmm15
	addps	-104(%rsp), %xmm4
	movaps	%xmm15, -72(%rsp)
	movaps	%xmm3, %xmm15
	movaps	%xmm4, -104(%rsp)
	movaps	-48(%rcx), %xmm4
	mulps	%xmm4, %xmm15
	addps	-24(%rsp), %xmm15
	movaps	%xmm15, -24(%rsp)
	movaps	%xmm2, %xmm15
	mulps	%xmm4, %xmm15
	addps	24(%rsp), %xmm15
	movaps	%xmm15, 24(%rsp)
	movaps	%xmm1, %xmm15
	mulps	%xmm4, %xmm15
	mulps	%xmm0, %xmm4
	addps	8(%rsp), %xmm15
	addps	-8(%rsp), %xmm4
	movaps	%xmm15, 8(%rsp)
	movaps	%xmm3, %xmm15
	movaps	%xmm4, -8(%rsp)
	movaps	-32(%rcx), %xmm4
	mulps	%xmm4, %xmm15
	addps	%xmm15, %xmm12
	movaps	%xmm2, %xmm15
	mulps	%xmm4, %xmm15
	addps	%xmm15, %xmm11
	movaps	%xmm1, %xmm15
	mulps	%xmm4, %xmm15
	mulps	%xmm0, %xmm4
	addps	%xmm15, %xmm10
	addps	%xmm4, %xmm9
	movaps	-16(%rcx), %xmm4
	mulps	%xmm4, %xmm3
	mulps	%xmm4, %xmm2
	mulps	%xmm4, %xmm1
	mulps	%xmm4, %xmm0
	addps	%xmm3, %xmm8
	addps	%xmm2, %xmm7
	addps	%xmm1, %xmm6
	addps	%xmm0, %xmm5
	cmpq	%rax, %rsi
	jne	.L56
	movaps	-40(%rsp), %xmm2
	movaps	-88(%rsp), %xmm3
	movaps	%xmm14, 40(%rsp)
	movaps	-56(%rsp), %xmm1
	movaps	%xmm13, 56(%rsp)
	movaps	%xmm2, 72(%rsp)
	movaps	-120(%rsp), %xmm2
	movaps	%xmm3, 88(%rsp)
	movaps	-72(%rsp), %xmm3
	movaps	%xmm1, 104(%rsp)
	movaps	-104(%rsp), %xmm1
	movaps	%xmm2, 120(%rsp)
	movaps	-24(%rsp), %xmm2
	movaps	%xmm3, 136(%rsp)
	movaps	24(%rsp), %xmm3
	movaps	%xmm1, 152(%rsp)
	movaps	8(%rsp), %xmm1
	movaps	%xmm2, 168(%rsp)
	movaps	-8(%rsp), %xmm2
	movaps	%xmm3, 184(%rsp)
	movaps	%xmm1, 200(%rsp)
	movaps	%xmm2, 216(%rsp)
	movaps	%xmm12, 232(%rsp)
	movaps	%xmm11, 248(%rsp)
	movaps	%xmm10, 264(%rsp)
	movaps	%xmm9, 280(%rsp)
	movaps	%xmm8, 296(%rsp)
	movaps	%xmm7, 312(%rsp)
	movaps	%xmm6, 328(%rsp)
	movaps	%xmm5, 344(%rsp)
.L57:
	movaps	40(%rsp), %xmm5
	movaps	56(%rsp), %xmm6
	movaps	72(%rsp), %xmm7
	movaps	%xmm5, (%rdx)
	movaps	88(%rsp), %xmm5
	movaps	%xmm6, 16(%rdx)
	movaps	104(%rsp), %xmm6
	movaps	%xmm7, 32(%rdx)
	movaps	120(%rsp), %xmm7
	movaps	%xmm5, 48(%rdx)
	movaps	136(%rsp), %xmm5
	movaps	%xmm6, 64(%rdx)
	movaps	152(%rsp), %xmm6
	movaps	%xmm7, 80(%rdx)
	movaps	168(%rsp), %xmm7
	movaps	%xmm5, 96(%rdx)
	movaps	184(%rsp), %xmm5
	movaps	%xmm6, 112(%rdx)
	movaps	200(%rsp), %xmm6
	movaps	%xmm7, 128(%rdx)
	movaps	216(%rsp), %xmm7
	movaps	%xmm5, 144(%rdx)
	movaps	232(%rsp), %xmm5
	movaps	%xmm6, 160(%rdx)
	movaps	248(%rsp), %xmm6
	movaps	%xmm7, 176(%rdx)
	movaps	264(%rsp), %xmm7
	movaps	%xmm5, 192(%rdx)
	movaps	280(%rsp), %xmm5
	movaps	%xmm7, 224(%rdx)
	movaps	%xmm5, 240(%rdx)
	movaps	%xmm6, 208(%rdx)
	movaps	296(%rsp), %xmm6
	movaps	312(%rsp), %xmm7
	movaps	328(%rsp), %xmm5
	movaps	%xmm6, 256(%rdx)
	movaps	344(%rsp), %xmm6
	movaps	%xmm7, 272(%rdx)
	movaps	%xmm5, 288(%rdx)
	movaps	%xmm6, 304(%rdx)
	addq	$368, %rsp
	.cfi_def_cfa_offset 8
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
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	movq	%rdx, %rax
	movq	%rsi, %r15
	movq	%rdi, %rdx
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	leaq	256(%rdi), %r11
	leaq	320(%rdi), %r10
	addq	$256, %rsi
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	leaq	384(%rdi), %r9
	movq	%rax, %rcx
	xorl	%r14d, %r14d
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	leaq	448(%rdi), %r8
	leaq	64(%rdi), %r12
	movq	%r15, %rax
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	leaq	128(%rdi), %rbp
	pxor	%xmm2, %xmm2
	pxor	%xmm3, %xmm3
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	leaq	192(%rdi), %rbx
	addq	$4, %rdi
	movq	%rdi, -48(%rsp)
	movq	%rsi, -40(%rsp)
.L62:
	movq	%r14, -32(%rsp)
	movq	%rax, %rdi
	movq	%rcx, %rsi
	movq	%rcx, %r13
	movq	%rcx, -24(%rsp)
	movq	%rax, -16(%rsp)
.L69:
	movq	%r13, %rcx
	movq	%rdi, %rax
	addq	$64, %r13
	addq	$32, %rdi
	cmpq	%r13, %rax
	setnb	%r15b
	cmpq	%rdi, %rcx
	setnb	%r14b
	orb	%r15b, %r14b
	je	.L70
	movq	-48(%rsp), %r15
	movq	%rcx, %r14
	subq	%r15, %r14
	cmpq	$456, %r14
	jbe	.L70
	movss	(%rax), %xmm10
	movups	(%rdx), %xmm0
	movss	4(%rax), %xmm9
	movups	64(%rdx), %xmm11
	shufps	$0, %xmm10, %xmm10
	mulps	%xmm10, %xmm0
	movss	8(%rax), %xmm8
	movss	12(%rax), %xmm7
	shufps	$0, %xmm9, %xmm9
	mulps	%xmm9, %xmm11
	movss	16(%rax), %xmm6
	movss	20(%rax), %xmm5
	shufps	$0, %xmm8, %xmm8
	shufps	$0, %xmm7, %xmm7
	movss	24(%rax), %xmm4
	movss	28(%rax), %xmm1
	shufps	$0, %xmm6, %xmm6
	shufps	$0, %xmm5, %xmm5
	shufps	$0, %xmm4, %xmm4
	shufps	$0, %xmm1, %xmm1
	addps	%xmm3, %xmm0
	addps	%xmm11, %xmm0
	movups	128(%rdx), %xmm11
	mulps	%xmm8, %xmm11
	addps	%xmm11, %xmm0
	movups	192(%rdx), %xmm11
	mulps	%xmm7, %xmm11
	addps	%xmm11, %xmm0
	movups	256(%rdx), %xmm11
	mulps	%xmm6, %xmm11
	addps	%xmm11, %xmm0
	movups	320(%rdx), %xmm11
	mulps	%xmm5, %xmm11
	addps	%xmm11, %xmm0
	movups	384(%rdx), %xmm11
	mulps	%xmm4, %xmm11
	addps	%xmm11, %xmm0
	movups	448(%rdx), %xmm11
	mulps	%xmm1, %xmm11
	addps	%xmm11, %xmm0
	movups	%xmm0, (%rcx)
	movups	16(%rdx), %xmm0
	movups	80(%rdx), %xmm11
	mulps	%xmm10, %xmm0
	mulps	%xmm9, %xmm11
	addps	%xmm3, %xmm0
	addps	%xmm11, %xmm0
	movups	144(%rdx), %xmm11
	mulps	%xmm8, %xmm11
	addps	%xmm11, %xmm0
	movups	208(%rdx), %xmm11
	mulps	%xmm7, %xmm11
	addps	%xmm11, %xmm0
	movups	272(%rdx), %xmm11
	mulps	%xmm6, %xmm11
	addps	%xmm11, %xmm0
	movups	336(%rdx), %xmm11
	mulps	%xmm5, %xmm11
	addps	%xmm11, %xmm0
	movups	400(%rdx), %xmm11
	mulps	%xmm4, %xmm11
	addps	%xmm11, %xmm0
	movups	464(%rdx), %xmm11
	mulps	%xmm1, %xmm11
	addps	%xmm11, %xmm0
	movups	%xmm0, 16(%rcx)
	movups	32(%rdx), %xmm0
	movups	96(%rdx), %xmm11
	mulps	%xmm10, %xmm0
	mulps	%xmm9, %xmm11
	addps	%xmm3, %xmm0
	addps	%xmm11, %xmm0
	movups	160(%rdx), %xmm11
	mulps	%xmm8, %xmm11
	addps	%xmm11, %xmm0
	movups	224(%rdx), %xmm11
	mulps	%xmm7, %xmm11
	addps	%xmm11, %xmm0
	movups	288(%rdx), %xmm11
	mulps	%xmm6, %xmm11
	addps	%xmm11, %xmm0
	movups	352(%rdx), %xmm11
	mulps	%xmm5, %xmm11
	addps	%xmm11, %xmm0
	movups	416(%rdx), %xmm11
	mulps	%xmm4, %xmm11
	addps	%xmm11, %xmm0
	movups	480(%rdx), %xmm11
	mulps	%xmm1, %xmm11
	addps	%xmm11, %xmm0
	movups	%xmm0, 32(%rcx)
	movups	48(%rdx), %xmm0
	movups	112(%rdx), %xmm12
	movups	176(%rdx), %xmm13
	movups	240(%rdx), %xmm14
	mulps	%xmm10, %xmm0
	mulps	%xmm12, %xmm9
	mulps	%xmm13, %xmm8
	mulps	%xmm14, %xmm7
	addps	%xmm3, %xmm0
	addps	%xmm9, %xmm0
	addps	%xmm8, %xmm0
	addps	%xmm7, %xmm0
	movups	304(%rdx), %xmm7
	mulps	%xmm7, %xmm6
	addps	%xmm6, %xmm0
	movups	368(%rdx), %xmm6
	mulps	%xmm6, %xmm5
	addps	%xmm5, %xmm0
	movups	432(%rdx), %xmm5
	mulps	%xmm5, %xmm4
	addps	%xmm4, %xmm0
	movups	496(%rdx), %xmm4
	mulps	%xmm4, %xmm1
	addps	%xmm1, %xmm0
	movups	%xmm0, 48(%rcx)
.L64:
	movq	-40(%rsp), %rax
	addq	$64, %rsi
	cmpq	%rax, %rdi
	jne	.L69
	movq	-32(%rsp), %r14
	movq	-24(%rsp), %rcx
	addq	$512, %rdx
	addq	$512, %r12
	addq	$512, -48(%rsp)
	movq	-16(%rsp), %rax
	addq	$512, %rbp
	addq	$512, %rbx
	addq	$8, %r14
	addq	$512, %r11
	addq	$512, %r10
	addq	$512, %r9
	addq	$512, %r8
	addq	$512, %rcx
	cmpq	$64, %r14
	jne	.L62
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 48
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
.L70:
	.cfi_restore_state
	xorl	%ecx, %ecx
	.p2align 4,,10
	.p2align 3
.L63:
	movss	(%rax), %xmm1
	mulss	(%rdx,%rcx,4), %xmm1
	movss	4(%rax), %xmm0
	mulss	(%r12,%rcx,4), %xmm0
	addss	%xmm2, %xmm1
	addss	%xmm1, %xmm0
	movss	8(%rax), %xmm1
	mulss	0(%rbp,%rcx,4), %xmm1
	addss	%xmm0, %xmm1
	movss	12(%rax), %xmm0
	mulss	(%rbx,%rcx,4), %xmm0
	addss	%xmm1, %xmm0
	movss	16(%rax), %xmm1
	mulss	(%r11,%rcx,4), %xmm1
	addss	%xmm0, %xmm1
	movss	20(%rax), %xmm0
	mulss	(%r10,%rcx,4), %xmm0
	addss	%xmm1, %xmm0
	movss	24(%rax), %xmm1
	mulss	(%r9,%rcx,4), %xmm1
	addss	%xmm0, %xmm1
	movss	28(%rax), %xmm0
	mulss	(%r8,%rcx,4), %xmm0
	addss	%xmm1, %xmm0
	movss	%xmm0, (%rsi,%rcx,4)
	addq	$1, %rcx
	cmpq	$16, %rcx
	jne	.L63
	jmp	.L64
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
	xorl	%ecx, %ecx
	xorl	%edx, %edx
	movq	%rsi, 8(%rsp)
	movq	%rsp, %rsi
	movq	%rdi, (%rsp)
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
	movss	(%rdi), %xmm0
	mulss	4(%rdi), %xmm0
	movss	%xmm0, (%rsi)
	ret
	.cfi_endproc
.LFE6:
	.size	straight, .-straight
	.section	.rodata.cst4,"aM",@progbits,4
	.align 4
.LC0:
	.long	1077936128
	.set	.LC3,.LC6
	.set	.LC5,.LC7
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC6:
	.long	1048576000
	.long	1048576000
	.align 8
.LC7:
	.long	1056964608
	.long	1056964608
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits

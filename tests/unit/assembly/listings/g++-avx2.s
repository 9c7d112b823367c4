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
	.cfi_offset 13, -24
	.cfi_offset 12, -32
	movq	%rdi, %r12
	pushq	%rbx
	andq	$-32, %rsp
	.cfi_offset 3, -40
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
	jge	.L16
	movq	%rdx, %rax
	movq	8(%r12), %rcx
	movq	(%r12), %r8
	movq	%rdx, %rsi
	salq	$10, %rax
	salq	$12, %rsi
	vbroadcastss	.LC0(%rip), %ymm2
	vmovss	.LC0(%rip), %xmm1
	leaq	1024(%rax), %r10
	addq	%rcx, %rsi
	salq	$10, %r11
	leaq	-4092(%r8), %r13
	leaq	0(,%r10,4), %rdi
	leaq	-4096(%r8), %r12
.L6:
	leaq	0(%r13,%rdi), %rdx
	movq	%rsi, %rbx
	leaq	(%r12,%rdi), %r9
	subq	%rdx, %rbx
	xorl	%edx, %edx
	cmpq	$24, %rbx
	jbe	.L19
	.p2align 4,,10
	.p2align 3
.L9:
	vmovups	(%r9,%rdx), %ymm0
	vfmadd213ps	(%rsi,%rdx), %ymm2, %ymm0
	vmovups	%ymm0, (%rsi,%rdx)
	addq	$32, %rdx
	cmpq	$4096, %rdx
	jne	.L9
.L8:
	addq	$4096, %rsi
	movq	%r10, %rax
	addq	$4096, %rdi
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
	vmovss	(%r8,%rax), %xmm0
	vfmadd213ss	(%rcx,%rax), %xmm1, %xmm0
	vmovss	%xmm0, (%rcx,%rax)
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
	movq	%rdx, %rdi
	cmpq	$2, %rdx
	jle	.L39
	leaq	-3(%rdx), %rax
	leaq	-2(%rdx), %r8
	cmpq	$6, %rax
	jbe	.L30
	vbroadcastss	.LC3(%rip), %ymm3
	movq	%r8, %rdx
	xorl	%eax, %eax
	vbroadcastss	.LC5(%rip), %ymm2
	shrq	$3, %rdx
	salq	$5, %rdx
	.p2align 4,,10
	.p2align 3
.L23:
	vmulps	4(%rcx,%rax), %ymm3, %ymm1
	vmovups	(%rcx,%rax), %ymm6
	vaddps	8(%rcx,%rax), %ymm6, %ymm0
	vfmadd132ps	%ymm2, %ymm1, %ymm0
	vmovups	%ymm0, 4(%rsi,%rax)
	addq	$32, %rax
	cmpq	%rdx, %rax
	jne	.L23
	movq	%r8, %rdx
	andq	$-8, %rdx
	leaq	1(%rdx), %rax
	testb	$7, %r8b
	je	.L40
	vzeroupper
.L22:
	movq	%rdi, %r9
	subq	%rdx, %r9
	leaq	-2(%r9), %r10
	subq	$3, %r9
	cmpq	$2, %r9
	jbe	.L25
	vbroadcastss	.LC3(%rip), %xmm1
	vmulps	4(%rcx,%rdx,4), %xmm1, %xmm1
	vbroadcastss	.LC5(%rip), %xmm2
	vmovups	8(%rcx,%rdx,4), %xmm7
	vaddps	(%rcx,%rdx,4), %xmm7, %xmm0
	vfmadd132ps	%xmm2, %xmm1, %xmm0
	vmovups	%xmm0, 4(%rsi,%rdx,4)
	movq	%r10, %rdx
	andq	$-4, %rdx
	addq	%rdx, %rax
	andl	$3, %r10d
	je	.L39
.L25:
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	leaq	(%rcx,%rdx), %r10
	cmpq	%r8, %r9
	jge	.L27
	vmovq	4(%rcx,%rdx), %xmm1
	vmovq	-4(%r10), %xmm0
	leaq	3(%rax), %r9
	vmovq	.LC8(%rip), %xmm3
	vmovq	(%r10), %xmm2
	vaddps	%xmm1, %xmm0, %xmm0
	vmovq	.LC9(%rip), %xmm4
	vmulps	%xmm3, %xmm0, %xmm0
	vfmadd231ps	%xmm4, %xmm2, %xmm0
	vmovss	8(%rcx,%rdx), %xmm2
	vmovlps	%xmm0, (%rsi,%rax,4)
	cmpq	%r9, %r8
	jg	.L28
	addq	$2, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
.L27:
	vmovss	(%rcx,%rax,4), %xmm0
	vmovss	.LC3(%rip), %xmm4
	subq	$1, %rdi
	vmovss	4(%rcx,%rdx), %xmm1
	vaddss	-4(%rcx,%rdx), %xmm1, %xmm2
	vmulss	%xmm4, %xmm0, %xmm5
	vmovss	.LC5(%rip), %xmm3
	vfmadd132ss	%xmm3, %xmm5, %xmm2
	vmovss	%xmm2, (%rsi,%rdx)
	cmpq	%r9, %rdi
	jle	.L39
	vmulss	%xmm4, %xmm1, %xmm1
	vmovss	8(%rcx,%rdx), %xmm2
	addq	$2, %rax
	vaddss	%xmm2, %xmm0, %xmm0
	vfmadd132ss	%xmm3, %xmm1, %xmm0
	vmovss	%xmm0, 4(%rsi,%rdx)
	cmpq	%rax, %rdi
	jle	.L39
	vmulss	%xmm4, %xmm2, %xmm2
	vmovss	12(%rcx,%rdx), %xmm0
	vaddss	4(%rcx,%rdx), %xmm0, %xmm0
	vfmadd132ss	%xmm3, %xmm2, %xmm0
	vmovss	%xmm0, 8(%rsi,%rdx)
.L39:
	ret
	.p2align 4,,10
	.p2align 3
.L28:
	leaq	12(%rcx,%rdx), %r9
	vmovss	16(%rcx,%rdx), %xmm0
	vinsertps	$0x10, (%r9), %xmm2, %xmm2
	vmovq	(%r9), %xmm5
	leaq	5(%rax), %r9
	vmulps	%xmm4, %xmm2, %xmm2
	vaddps	%xmm1, %xmm5, %xmm1
	vfmadd132ps	%xmm3, %xmm2, %xmm1
	vmovlps	%xmm1, 8(%rsi,%rdx)
	cmpq	%r9, %r8
	jle	.L41
	leaq	20(%rcx,%rdx), %r8
	addq	$6, %rax
	vinsertps	$0x10, (%r8), %xmm0, %xmm0
	vmovq	(%r8), %xmm1
	leaq	1(%rax), %r9
	vmulps	%xmm4, %xmm0, %xmm0
	vaddps	%xmm5, %xmm1, %xmm1
	vfmadd132ps	%xmm3, %xmm0, %xmm1
	vmovlps	%xmm1, 16(%rsi,%rdx)
	leaq	0(,%rax,4), %rdx
	jmp	.L27
	.p2align 4,,10
	.p2align 3
.L41:
	addq	$4, %rax
	leaq	0(,%rax,4), %rdx
	leaq	1(%rax), %r9
	jmp	.L27
	.p2align 4,,10
	.p2align 3
.L40:
	vzeroupper
	ret
.L30:
	xorl	%edx, %edx
	movl	$1, %eax
	jmp	.L22
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
	movq	%rdx, %r8
	xorl	%r9d, %r9d
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	leaq	32768(%rsi), %rbx
.L43:
	movq	%rbx, %rcx
	leaq	(%r10,%r9,8), %r11
	movq	%r8, %rsi
	xorl	%edi, %edi
.L45:
	vxorpd	%xmm1, %xmm1, %xmm1
	leaq	-32768(%rcx), %rax
	movq	%r11, %rdx
	vmovapd	%ymm1, %ymm2
	vmovapd	%ymm1, %ymm3
	vmovapd	%ymm1, %ymm4
	.p2align 4,,10
	.p2align 3
.L44:
	vbroadcastsd	(%rdx), %ymm0
	addq	$512, %rax
	addq	$8, %rdx
	vfmadd231pd	-512(%rax), %ymm0, %ymm4
	vfmadd231pd	-480(%rax), %ymm0, %ymm3
	vfmadd231pd	-448(%rax), %ymm0, %ymm2
	vfmadd231pd	-416(%rax), %ymm0, %ymm1
	cmpq	%rcx, %rax
	jne	.L44
	addq	$16, %rdi
	vmovupd	%ymm4, (%rsi)
	subq	$-128, %rsi
	leaq	128(%rax), %rcx
	vmovupd	%ymm3, -96(%rsi)
	vmovupd	%ymm2, -64(%rsi)
	vmovupd	%ymm1, -32(%rsi)
	cmpq	$64, %rdi
	jne	.L45
	addq	$64, %r9
	addq	$512, %r8
	cmpq	$4096, %r9
	jne	.L43
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
	movq	%rsi, %rdx
	testq	%rsi, %rsi
	jle	.L57
	leaq	-1(%rsi), %rax
	cmpq	$6, %rax
	jbe	.L58
	movq	%rsi, %rcx
	movq	%rdi, %rax
	vxorps	%xmm0, %xmm0, %xmm0
	shrq	$3, %rcx
	salq	$5, %rcx
	addq	%rdi, %rcx
	.p2align 4,,10
	.p2align 3
.L54:
	vaddss	(%rax), %xmm0, %xmm0
	addq	$32, %rax
	vaddss	-28(%rax), %xmm0, %xmm0
	vaddss	-24(%rax), %xmm0, %xmm0
	vaddss	-20(%rax), %xmm0, %xmm0
	vaddss	-16(%rax), %xmm0, %xmm0
	vaddss	-12(%rax), %xmm0, %xmm0
	vaddss	-8(%rax), %xmm0, %xmm0
	vaddss	-4(%rax), %xmm0, %xmm0
	cmpq	%rcx, %rax
	jne	.L54
	movq	%rdx, %rax
	andq	$-8, %rax
	testb	$7, %dl
	je	.L60
.L53:
	leaq	1(%rax), %rsi
	vaddss	(%rdi,%rax,4), %xmm0, %xmm0
	leaq	0(,%rax,4), %rcx
	cmpq	%rsi, %rdx
	jle	.L51
	leaq	2(%rax), %rsi
	vaddss	4(%rdi,%rcx), %xmm0, %xmm0
	cmpq	%rsi, %rdx
	jle	.L51
	leaq	3(%rax), %rsi
	vaddss	8(%rdi,%rcx), %xmm0, %xmm0
	cmpq	%rsi, %rdx
	jle	.L51
	leaq	4(%rax), %rsi
	vaddss	12(%rdi,%rcx), %xmm0, %xmm0
	cmpq	%rsi, %rdx
	jle	.L51
	leaq	5(%rax), %rsi
	vaddss	16(%rdi,%rcx), %xmm0, %xmm0
	cmpq	%rsi, %rdx
	jle	.L51
	addq	$6, %rax
	vaddss	20(%rdi,%rcx), %xmm0, %xmm0
	cmpq	%rax, %rdx
	jle	.L51
	vaddss	24(%rdi,%rcx), %xmm0, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L57:
	vxorps	%xmm0, %xmm0, %xmm0
.L51:
	ret
	.p2align 4,,10
	.p2align 3
.L60:
	ret
.L58:
	xorl	%eax, %eax
	vxorps	%xmm0, %xmm0, %xmm0
	jmp	.L53
	.cfi_endproc
.LFE2:
	.size	sum, .-sum
	.p2align 4
	.globl	spill
	.type	spill, @function
spill:
.LFB3:
	.cfi_startproc
	subq	$352, %rsp
	.cfi_def_cfa_offset 360
	movq	%rdi, %r8
	movq	%rcx, %r9
	xorl	%eax, %eax
	leaq	24(%rsp), %rdi
	movl	$40, %ecx
	rep stosq
	testq	%r9, %r9
	jle	.L64
	vxorps	%xmm6, %xmm6, %xmm6
	salq	$6, %r9
	movq	%rsi, %rax
	movq	%r8, %rcx
	leaq	(%rsi,%r9), %rsi
	vmovaps	%xmm6, -24(%rsp)
	vmovaps	%xmm6, %xmm7
	vmovaps	%xmm6, %xmm1
	vmovaps	%xmm6, -40(%rsp)
	vmovaps	%xmm6, %xmm5
	vmovaps	%xmm6, %xmm8
	vmovaps	%xmm6, %xmm9
	vmovaps	%xmm6, -56(%rsp)
	vmovaps	%xmm6, %xmm10
	vmovaps	%xmm6, %xmm11
	vmovaps	%xmm6, %xmm12
	vmovaps	%xmm6, -72(%rsp)
	vmovaps	%xmm6, %xmm14
	vmovaps	%xmm6, %xmm15
	vmovaps	%xmm6, -88(%rsp)
	vmovaps	%xmm6, -8(%rsp)
	vmovaps	%xmm6, -120(%rsp)
	vmovaps	%xmm6, -104(%rsp)
	vmovaps	%xmm6, 8(%rsp)
	.p2align 4,,10
	.p2align 3
.L63:
	vmovaps	(%rcx), %xmm13
	vmovaps	(%rax), %xmm4
	addq	$64, %rax
	addq	$80, %rcx
	vmovaps	-104(%rsp), %xmm0
	vfmadd231ps	-16(%rax), %xmm13, %xmm0
	vmovaps	-48(%rax), %xmm3
	vmovaps	-32(%rax), %xmm2
	vfmadd231ps	%xmm4, %xmm13, %xmm15
	vfmadd231ps	%xmm3, %xmm13, %xmm14
	vfmadd231ps	%xmm2, %xmm13, %xmm1
	vmovaps	-64(%rcx), %xmm13
	vmovaps	%xmm0, -104(%rsp)
	vmovaps	-120(%rsp), %xmm0
	vfmadd231ps	-16(%rax), %xmm13, %xmm0
	vfmadd231ps	%xmm13, %xmm4, %xmm12
	vfmadd231ps	%xmm13, %xmm3, %xmm11
	vfmadd231ps	%xmm13, %xmm2, %xmm10
	vmovaps	-48(%rcx), %xmm13
	vfmadd231ps	%xmm13, %xmm4, %xmm9
	vfmadd231ps	%xmm13, %xmm2, %xmm7
	vmovaps	%xmm0, -120(%rsp)
	vmovaps	8(%rsp), %xmm0
	vfmadd231ps	%xmm13, %xmm3, %xmm0
	vmovaps	%xmm0, 8(%rsp)
	vmovaps	-8(%rsp), %xmm0
	vfmadd231ps	-16(%rax), %xmm13, %xmm0
	vmovaps	-32(%rcx), %xmm13
	vfmadd231ps	%xmm13, %xmm4, %xmm6
	vfmadd231ps	%xmm13, %xmm3, %xmm5
	vfmadd231ps	%xmm13, %xmm2, %xmm8
	vmovaps	%xmm0, -8(%rsp)
	vmovaps	-88(%rsp), %xmm0
	vfmadd231ps	-16(%rax), %xmm13, %xmm0
	vmovaps	-16(%rcx), %xmm13
	vfmadd213ps	-40(%rsp), %xmm13, %xmm2
	vfmadd213ps	-72(%rsp), %xmm13, %xmm4
	vfmadd213ps	-56(%rsp), %xmm13, %xmm3
	vmovaps	%xmm0, -88(%rsp)
	vmovaps	%xmm2, -40(%rsp)
	vmovaps	-24(%rsp), %xmm2
	vfmadd231ps	-16(%rax), %xmm13, %xmm2
	vmovaps	%xmm4, -72(%rsp)
	vmovaps	%xmm3, -56(%rsp)
	vmovaps	%xmm2, -24(%rsp)
	cmpq	%rax, %rsi
	jne	.L63
	vmovaps	%xmm1, 56(%rsp)
	vmovaps	-104(%rsp), %xmm1
	vmovaps	8(%rsp), %xmm0
	vmovaps	%xmm7, 184(%rsp)
	vmovaps	-8(%rsp), %xmm7
	vmovaps	%xmm1, 72(%rsp)
	vmovaps	-120(%rsp), %xmm1
	vmovaps	%xmm6, 216(%rsp)
	vmovaps	-40(%rsp), %xmm6
	vmovaps	%xmm5, 232(%rsp)
	vmovaps	-88(%rsp), %xmm5
	vmovaps	%xmm15, 24(%rsp)
	vmovaps	%xmm14, 40(%rsp)
	vmovaps	%xmm12, 88(%rsp)
	vmovaps	%xmm11, 104(%rsp)
	vmovaps	%xmm10, 120(%rsp)
	vmovaps	%xmm1, 136(%rsp)
	vmovaps	%xmm9, 152(%rsp)
	vmovaps	%xmm0, 168(%rsp)
	vmovaps	%xmm7, 200(%rsp)
	vmovaps	%xmm8, 248(%rsp)
	vmovaps	%xmm5, 264(%rsp)
	vmovaps	%xmm4, 280(%rsp)
	vmovaps	%xmm3, 296(%rsp)
	vmovaps	%xmm6, 312(%rsp)
	vmovaps	%xmm2, 328(%rsp)
.L64:
	vmovaps	24(%rsp), %xmm1
	vmovaps	72(%rsp), %xmm5
	vmovaps	88(%rsp), %xmm6
	vmovaps	104(%rsp), %xmm7
	vmovaps	%xmm1, (%rdx)
	vmovaps	40(%rsp), %xmm1
	vmovaps	%xmm5, 48(%rdx)
	vmovaps	136(%rsp), %xmm5
	vmovaps	%xmm1, 16(%rdx)
	vmovaps	56(%rsp), %xmm1
	vmovaps	%xmm6, 64(%rdx)
	vmovaps	152(%rsp), %xmm6
	vmovaps	%xmm1, 32(%rdx)
	vmovaps	120(%rsp), %xmm1
	vmovaps	%xmm7, 80(%rdx)
	vmovaps	168(%rsp), %xmm7
	vmovaps	%xmm1, 96(%rdx)
	vmovaps	184(%rsp), %xmm1
	vmovaps	%xmm5, 112(%rdx)
	vmovaps	200(%rsp), %xmm5
	vmovaps	%xmm6, 128(%rdx)
	vmovaps	216(%rsp), %xmm6
	vmovaps	%xmm7, 144(%rdx)
	vmovaps	232(%rsp), %xmm7
	vmovaps	%xmm1, 160(%rdx)
	vmovaps	248(%rsp), %xmm1
	vmovaps	%xmm5, 176(%rdx)
	vmovaps	264(%rsp), %xmm5
	vmovaps	%xmm7, 208(%rdx)
	vmovaps	%xmm1, 224(%rdx)
	vmovaps	%xmm5, 240(%rdx)
	vmovaps	%xmm6, 192(%rdx)
	vmovaps	280(%rsp), %xmm6
	vmovaps	296(%rsp), %xmm7
	vmovaps	312(%rsp), %xmm1
	vmovaps	328(%rsp), %xmm5
	vmovaps	%xmm6, 256(%rdx)
	vmovaps	%xmm7, 272(%rdx)
	vmovaps	%xmm1, 288(%rdx)
	vmovaps	%xmm5, 304(%rdx)
	addq	$352, %rsp
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
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	leaq	4(%rdi), %rcx
	movq	%rdx, %rax
	leaq	192(%rdi), %r11
	movq	%rdi, %rdx
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	leaq	256(%rdi), %r10
	leaq	320(%rdi), %r9
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	leaq	384(%rdi), %r8
	.cfi_offset 15, -24
	leaq	448(%rdi), %r15
	pushq	%r14
	.cfi_offset 14, -32
	xorl	%r14d, %r14d
	pushq	%r13
	pushq	%r12
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	leaq	64(%rdi), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	128(%rdi), %rbx
	movq	%rax, %rdi
	movq	%r14, %rax
	andq	$-32, %rsp
	movq	%rsi, -40(%rsp)
	addq	$256, %rsi
	movq	%rcx, -16(%rsp)
	movq	%rsi, -24(%rsp)
.L70:
	movq	%rax, -48(%rsp)
	movq	-40(%rsp), %rsi
	movq	%rdi, %rcx
	movq	%rdi, %r14
	movq	%rdi, -56(%rsp)
	movq	%r8, -32(%rsp)
.L77:
	movq	%r14, %rdi
	movq	%rsi, %rax
	addq	$64, %r14
	addq	$32, %rsi
	cmpq	%r14, %rax
	setnb	-1(%rsp)
	cmpq	%rsi, %rdi
	movzbl	-1(%rsp), %r8d
	setnb	%r13b
	orb	%r8b, %r13b
	je	.L78
	movq	-16(%rsp), %r8
	movq	%rdi, %r13
	subq	%r8, %r13
	cmpq	$472, %r13
	jbe	.L78
	vbroadcastss	(%rax), %ymm10
	vbroadcastss	4(%rax), %ymm9
	vbroadcastss	8(%rax), %ymm8
	vbroadcastss	12(%rax), %ymm7
	vmovaps	%ymm10, %ymm0
	vfmadd132ps	(%rdx), %ymm2, %ymm0
	vbroadcastss	16(%rax), %ymm6
	vfmadd231ps	64(%rdx), %ymm9, %ymm0
	vbroadcastss	20(%rax), %ymm5
	vfmadd231ps	128(%rdx), %ymm8, %ymm0
	vbroadcastss	24(%rax), %ymm4
	vfmadd231ps	192(%rdx), %ymm7, %ymm0
	vbroadcastss	28(%rax), %ymm3
	vfmadd231ps	256(%rdx), %ymm6, %ymm0
	vfmadd231ps	320(%rdx), %ymm5, %ymm0
	vfmadd231ps	384(%rdx), %ymm4, %ymm0
	vfmadd231ps	448(%rdx), %ymm3, %ymm0
	vmovups	%ymm0, (%rdi)
	vfmadd132ps	32(%rdx), %ymm2, %ymm10
	vfmadd132ps	96(%rdx), %ymm10, %ymm9
	vfmadd132ps	160(%rdx), %ymm9, %ymm8
	vfmadd132ps	224(%rdx), %ymm8, %ymm7
	vfmadd132ps	288(%rdx), %ymm7, %ymm6
	vfmadd132ps	352(%rdx), %ymm6, %ymm5
	vfmadd132ps	416(%rdx), %ymm5, %ymm4
	vfmadd132ps	480(%rdx), %ymm4, %ymm3
	vmovups	%ymm3, 32(%rdi)
.L72:
	movq	-24(%rsp), %rax
	addq	$64, %rcx
	cmpq	%rax, %rsi
	jne	.L77
	movq	-48(%rsp), %rax
	movq	-56(%rsp), %rdi
	addq	$512, %rdx
	addq	$512, %r12
	movq	-32(%rsp), %r8
	addq	$512, %rbx
	addq	$512, -16(%rsp)
	addq	$512, %r11
	addq	$8, %rax
	addq	$512, %r10
	addq	$512, %r9
	addq	$512, %r15
	addq	$512, %r8
	addq	$512, %rdi
	cmpq	$64, %rax
	jne	.L70
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
.L78:
	.cfi_restore_state
	movq	-32(%rsp), %r8
	xorl	%edi, %edi
	.p2align 4,,10
	.p2align 3
.L71:
	vmovss	(%rax), %xmm0
	vfmadd132ss	(%rdx,%rdi,4), %xmm1, %xmm0
	vmovss	4(%rax), %xmm3
	vfmadd231ss	(%r12,%rdi,4), %xmm3, %xmm0
	vmovss	8(%rax), %xmm4
	vfmadd231ss	(%rbx,%rdi,4), %xmm4, %xmm0
	vmovss	12(%rax), %xmm5
	vfmadd231ss	(%r11,%rdi,4), %xmm5, %xmm0
	vmovss	16(%rax), %xmm6
	vfmadd231ss	(%r10,%rdi,4), %xmm6, %xmm0
	vmovss	20(%rax), %xmm7
	vfmadd231ss	(%r9,%rdi,4), %xmm7, %xmm0
	vmovss	24(%rax), %xmm3
	vfmadd231ss	(%r8,%rdi,4), %xmm3, %xmm0
	vmovss	28(%rax), %xmm4
	vfmadd231ss	(%r15,%rdi,4), %xmm4, %xmm0
	vmovss	%xmm0, (%rcx,%rdi,4)
	addq	$1, %rdi
	cmpq	$16, %rdi
	jne	.L71
	movq	%r8, -32(%rsp)
	jmp	.L72
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

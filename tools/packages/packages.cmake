# The Debian packages that `./x package` makes, by CPack: what each is called, says of itself and needs. Which files are in one is
# said where they are installed (COMPONENT).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hoist)
set(CPACK_PACKAGE_CONTACT "The Hoist authors <hoist@example.org>")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SOURCE hoist)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What is linked is found by dpkg-shlibdeps; what is opened at run time, and the compiler that `host` needs, is named below.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(recommended "g++ | c++-compiler, ocl-icd-libopencl1 | libopencl1")
set(suggested "pocl-opencl-icd | opencl-icd, libpq5, libxgboost0")
set(same_version "(= ${PROJECT_VERSION})")

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
configure_file(tools/packages/changelog.in packages/changelog @ONLY)
execute_process(COMMAND gzip -9nkf ${CMAKE_BINARY_DIR}/packages/changelog)

# hoist_package(COMPONENT NAME SECTION "one line" "more" [DEPENDS "g++"] [RECOMMENDS ...] [SUGGESTS ...])
macro(hoist_package component name section synopsis description)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${synopsis}
Hoist compiles numerical computations, written once as compositions of
data-parallel patterns, into kernels for GPUs (OpenCL, CUDA) and
processors, and searches for the fastest.

${description}")
  cmake_parse_arguments(FIELD "" "DEPENDS;RECOMMENDS;SUGGESTS" "" ${ARGN})
  foreach(field DEPENDS RECOMMENDS SUGGESTS)
    if(FIELD_${field})
      set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${FIELD_${field}}")
    endif()
  endforeach()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${CMAKE_BINARY_DIR}/packages/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component}
          EXCLUDE_FROM_ALL)
endmacro()

hoist_package(command hoist devel "compiler and tuner of data-parallel programs"
  "This package has the program hoist, its manual pages, and programs to
begin with."
  RECOMMENDS ${recommended} SUGGESTS "${suggested}, hoist-openmp, libhoist-mpi")
hoist_package(library libhoist0 libs "compiler and tuner of data-parallel programs: library"
  "This package has the shared library."
  RECOMMENDS ${recommended} SUGGESTS "${suggested}, libhoist-mpi")
# Which package the library is in, for those that are linked with it; and that the loader's cache gets to know it.
file(WRITE ${CMAKE_BINARY_DIR}/packages/shlibs
     "libhoist ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} libhoist0 ${same_version}\n")
file(WRITE ${CMAKE_BINARY_DIR}/packages/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/packages/shlibs ${CMAKE_BINARY_DIR}/packages/triggers)
hoist_package(development libhoist-dev libdevel "compiler and tuner of data-parallel programs: development files"
  "This package has what is needed to build applications in C++ with it."
  DEPENDS "libhoist0 ${same_version}")
if(TARGET hoist-openmp)
  hoist_package(openmp hoist-openmp devel "translator of C with OpenMP to loops on devices"
    "This package has what the command hoist openmp needs."
    DEPENDS "hoist ${same_version}, libclang-common-14-dev, libgcc-12-dev")
endif()
if(TARGET hoist-mpi)
  # It is opened by its path, and linked by nobody, so its name has no version of an interface.
  hoist_package(mpi libhoist-mpi libs "compiler and tuner of data-parallel programs: ranks of MPI"
    "This package has what programs need that run on the ranks of an MPI job:
the part of Hoist that is built with Open MPI."
    RECOMMENDS "hoist ${same_version} | libhoist0 ${same_version}, openmpi-bin" SUGGESTS "python3-mpi4py")
endif()
if(TARGET _hoist)
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  hoist_package(python python3-hoist python "compiler and tuner of data-parallel programs: module for Python"
    "This package has the module hoist, which takes and gives arrays of NumPy
and of other libraries."
    DEPENDS "libhoist0 ${same_version}, python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
  # Byte code is made when it is installed and removed with it.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/postinst ${CMAKE_CURRENT_LIST_DIR}/prerm)
endif()
include(CPack)

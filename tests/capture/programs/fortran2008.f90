! The bindings of Fortran 2008. What this is as a trace stands in calls_test.cpp. Two ranks.
program main
  use mpi_f08
  implicit none
  integer :: rank
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: twin
  double precision :: values(100), sums(100)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  values = rank
  call MPI_Comm_dup(MPI_COMM_WORLD, twin)
  call MPI_Irecv(sums, 10, MPI_DOUBLE_PRECISION, 1 - rank, MPI_ANY_TAG, twin, requests(1))
  call MPI_Isend(values, 10, MPI_DOUBLE_PRECISION, 1 - rank, 3, twin, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Recv(sums, 1, MPI_INTEGER, MPI_PROC_NULL, 0, twin, status)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE_PRECISION, MPI_SUM, twin)
  call MPI_Finalize()
end program main

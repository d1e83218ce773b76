! The Fortran bindings. What this is as a trace stands in calls_test.cpp. Two ranks.
program main
  use mpi
  implicit none
  integer :: rank, other, error, half, requests(2), status(MPI_STATUS_SIZE), pairs, indices(2), count
  integer :: statuses(MPI_STATUS_SIZE, 2)
  double precision :: values(100), sums(100)
  logical :: flag
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = 1 - rank
  values = rank
  call MPI_Irecv(sums, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(values, 10, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  ! Sends that have ended when they are posted.
  call MPI_Isend(values, 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(values, 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(2), error)
  call MPI_Recv(sums, 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, status, error)
  call MPI_Recv(sums, 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, status, error)
  end do
  call MPI_Sendrecv(values, 3, MPI_REAL, other, 5, sums, 3, MPI_REAL, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Gather(values, 1, MPI_DOUBLE_PRECISION, sums, 1, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
  call MPI_Type_vector(5, 2, 10, MPI_DOUBLE_PRECISION, pairs, error)
  call MPI_Type_commit(pairs, error)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, half, error)
  call MPI_Bcast(values, 1, pairs, 0, half, error)
  call MPI_Ibarrier(half, requests(1), error)
  call MPI_Wait(requests(1), status, error)
  call MPI_Recv_init(sums, 6, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send_init(values, 6, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(2), error)
  call MPI_Startall(2, requests, error)
  call MPI_Waitsome(1, requests, count, indices, statuses, error)
  call MPI_Waitall(2, requests, statuses, error)
  call MPI_Comm_free(half, error)
  call MPI_Finalize(error)
end program main

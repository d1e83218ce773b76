#include "workloads/formats/dumpi_local.hpp"

#include <unordered_set>

namespace toroid::workloads::dumpi {

bool is_local(std::string_view name) {
  static const std::unordered_set<std::string_view> names{"MPI_Address",
                                                          "MPI_Alloc_mem",
                                                          "MPI_Buffer_attach",
                                                          "MPI_Buffer_detach",
                                                          "MPI_Cart_map",
                                                          "MPI_Comm_compare",
                                                          "MPI_Comm_create_errhandler",
                                                          "MPI_Comm_create_keyval",
                                                          "MPI_Comm_delete_attr",
                                                          "MPI_Comm_free",
                                                          "MPI_Comm_free_keyval",
                                                          "MPI_Comm_get_attr",
                                                          "MPI_Comm_get_errhandler",
                                                          "MPI_Comm_get_name",
                                                          "MPI_Comm_get_parent",
                                                          "MPI_Comm_group",
                                                          "MPI_Comm_rank",
                                                          "MPI_Comm_remote_group",
                                                          "MPI_Comm_remote_size",
                                                          "MPI_Comm_set_attr",
                                                          "MPI_Comm_set_errhandler",
                                                          "MPI_Comm_set_name",
                                                          "MPI_Comm_size",
                                                          "MPI_Comm_test_inter",
                                                          "MPI_Dims_create",
                                                          "MPI_Error_class",
                                                          "MPI_Error_string",
                                                          "MPI_Finalized",
                                                          "MPI_Free_mem",
                                                          "MPI_Get_address",
                                                          "MPI_Get_count",
                                                          "MPI_Get_elements",
                                                          "MPI_Get_library_version",
                                                          "MPI_Get_processor_name",
                                                          "MPI_Get_version",
                                                          "MPI_Graph_get",
                                                          "MPI_Graph_map",
                                                          "MPI_Graph_neighbors",
                                                          "MPI_Graph_neighbors_count",
                                                          "MPI_Graphdims_get",
                                                          "MPI_Init",
                                                          "MPI_Init_thread",
                                                          "MPI_Initialized",
                                                          "MPI_Iprobe",
                                                          "MPI_Is_thread_main",
                                                          "MPI_Keyval_create",
                                                          "MPI_Keyval_free",
                                                          "MPI_Pack",
                                                          "MPI_Pack_size",
                                                          "MPI_Pcontrol",
                                                          "MPI_Probe",
                                                          "MPI_Query_thread",
                                                          "MPI_Test_cancelled",
                                                          "MPI_Topo_test",
                                                          "MPI_Unpack",
                                                          "MPI_Wtick",
                                                          "MPI_Wtime"};
  if (names.contains(name)) return true;
  for (const std::string_view family :
       {"MPI_Type_", "MPI_Op_", "MPI_Group_", "MPI_Attr_", "MPI_Errhandler_", "MPI_Info_", "MPI_Cartdim",
        "MPI_Cart_rank", "MPI_Cart_coords", "MPI_Cart_get", "MPI_Cart_shift"})
    if (name.starts_with(family)) return true;
  return false;
}

}  // namespace toroid::workloads::dumpi

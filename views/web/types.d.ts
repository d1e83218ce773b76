// What the modules of pages are checked against, beside what tsc finds out by itself.

declare module "*.vert";
declare module "*.frag";

// The columns that pages read, each of one of the types in data.js: all are read as numbers.
type ColumnName = | "after_bytes" | "after_lost_s" | "after_use" | "after_wait" | "before_bytes" | "before_lost_s"
    | "before_use" | "before_wait" | "class_bytes" | "class_messages" | "class_size" | "core_computing" | "core_number"
    | "core_rank" | "hold_begin" | "hold_end" | "hold_job" | "hold_runs_begin" | "job_alone" | "job_colour" | "job_components" | "job_end" | "job_ended"
    | "job_estimate" | "job_group" | "job_mean_hops" | "job_name" | "job_name_begin" | "job_nodes" | "job_partition"
    | "job_program" | "job_queue" | "job_started"
    | "job_submitted" | "job_user" | "link_bandwidth" | "link_bytes" | "link_failed" | "link_from" | "link_job"
    | "link_job_bytes" | "link_jobs_begin" | "link_kind" | "link_latency" | "link_mean" | "link_messages"
    | "link_pairs" | "link_pairs_begin" | "link_peak" | "link_to" | "link_use" | "loss_job" | "loss_link"
    | "loss_link_job" | "loss_link_s" | "loss_pair_from" | "loss_pair_s" | "loss_pair_to" | "loss_s" | "loss_to"
    | "node_state" | "obstacle_bytes_meanwhile" | "obstacle_from" | "obstacle_link" | "obstacle_step" | "obstacle_to"
    | "out_begin" | "out_end" | "out_node" | "pair_bytes" | "pair_from" | "pair_hops" | "pair_messages" | "pair_to"
    | "rank_bytes" | "rank_collective_wait" | "rank_compute" | "rank_doing" | "rank_finish" | "rank_in_collective"
    | "rank_node" | "rank_transfer" | "rank_wait" | "route_link" | "router_at" | "router_first_node"
    | "run_first_node" | "run_nodes" | "sample_free_nodes" | "sample_largest_region" | "sample_regions"
    | "segment_from" | "segment_link" | "segment_to" | "step_bandwidth" | "step_begin" | "step_bytes"
    | "step_collective" | "step_end" | "step_is_message" | "step_latency" | "step_lost" | "step_rank"
    | "step_receiver";
type Columns = Record<ColumnName, Float64Array>;

// An element of the page, which is known by its id to be what is asked of it.
type AnyElement = HTMLElement & HTMLInputElement & HTMLCanvasElement & HTMLSelectElement & Pick<HTMLTableElement, "tBodies">;

type Colour = number[]; // red, green, blue: 0 to 255
type Look = number[]; // what is drawn of a link or node: colour; width or size; shape
type PutLine = (from: number, to: number, link: number, flags: number, colour: Colour, width: number) => void;

interface Dimension {
  name: string;
  extent: number;
  wrap: string;
  shared?: boolean;
  twisted?: boolean;
  places?: number[];
}

// What the head of a document says: of a machine, then of a run, of two runs, of a schedule.
interface Meta {
  platform: string;
  text: string;
  dimensions: Dimension[];
  nodes_per_router: number;
  numbering: [number, number][]; // dimension and count of each digit of a node's number
  node_names: string[];
  figures: any;
  injection: number | null;
  ejection: number | null;
  base_latency_s: number;
  route?: any;
  trace: string;
  map: string;
  engine: string;
  runtime_s: number;
  computation_is_left_out: boolean;
  parts_s: Record<string, number>;
  messages: number;
  bytes: number;
  hops_per_byte: number;
  window_s: number;
  windows: number;
  activity_windows: number;
  activity_window_s: number;
  collectives: {collective: string; algorithm: string}[];
  steps: any;
  step_collectives: string[];
  explanation: any;
  training: any;
  exposed: {purpose: string; transfer_s: number; wait_s: number}[];
  pairs: number;
  pairs_as_rings: string;
  contention: any[] | null;
  no_contention_because: string;
  before: any;
  after: any;
  jobs: any; // the jobs of a run; how many a schedule has
  begin_s: number;
  end_s: number;
  scheduler: string;
  allocator: string;
  compute_nodes: number;
  bound_of_slowdown: number;
  programs: string[];
  totals: any;
}

// What is selected, and what is shown: `null` where nothing is. Each page has some of these.
interface State {
  time: number;
  page: string;
  link: number | null;
  node: number | null;
  view?: string;
  axes?: number[];
  planes?: number[];
  top?: number;
  linkColour?: string;
  nodeColour?: string;
  links?: string;
  inner?: boolean;
  run?: string;
  quantity?: string;
  rank?: number | null;
  job?: number | null;
  shown?: number;
  from?: number;
  to?: number;
  low?: number;
  high?: number;
  whoBy?: string;
  pair?: any;
}

interface Layout {
  place: Float32Array;
  nodes?: Float32Array;
  isShown: Uint8Array;
  isOutside: Uint8Array;
  extent: number[];
  dimensions: number[][];
  centre?: number[];
  reach?: number;
  longest?: number;
  shown?: number;
  isFlat?: boolean;
}

// What a page says of the machine's looks (machine.js).
interface Picture {
  lookOfLink(link: number, look: Look): void;
  lookOfNode(node: number, look: Look): void;
  paintLines?(put: PutLine): void;
  legend(): (string | HTMLElement)[];
  nodePicked(node: number): void;
}

// What browsers have, and the library of tsc not yet.
interface Uint8ArrayConstructor {
  fromBase64?(text: string): Uint8Array;
}
declare const DecompressionStream: any;

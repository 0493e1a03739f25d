// Plain values that pages need: importing them brings no schema library into the browser.

/** A minus before it reverses the order; checks that neither pass nor fail anywhere come last either way. */
export const checkSorts = ['-name', 'passing', '-passing'] as const
export type CheckSort = (typeof checkSorts)[number]

/** A minus before it reverses the order; what has no value comes last either way. */
export const deviceSorts = [
  'name',
  '-name',
  'will_block_at',
  '-will_block_at',
  'last_seen_at',
  '-last_seen_at',
] as const
export type DeviceSort = (typeof deviceSorts)[number]

/** The columns of the list of devices other than the name, in their usual order. */
export const deviceColumnNames = ['state', 'blocks', 'owner', 'system', 'serial', 'issues', 'seen'] as const
export type DeviceColumnName = (typeof deviceColumnNames)[number]

/** How a device stands with its companion: `linking` waits for its link, and a key that was seen twice may have a copy. */
export const companionStandings = ['linked', 'linking', 'none', 'seen_twice'] as const
export type CompanionStanding = (typeof companionStandings)[number]

/** How many devices one request can have checked again. */
export const maxRefreshedAtOnce = 100

/** How many registrations one request can end. */
export const maxUnregisteredAtOnce = 25

/** How many devices one request can register. */
export const maxRegisteredAtOnce = 25

export const issueSorts = ['detected_at', 'blocks_at'] as const
export type IssueSort = (typeof issueSorts)[number]

/** Devices whose owners are written to at once. */
export const maxWrittenAtOnce = 50

/** The six ports that companions listen on: outside the ranges that systems give to clients. */
export const companionPorts: readonly number[] = [15_861, 17_443, 19_267, 22_391, 26_813, 29_917]

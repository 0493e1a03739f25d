/**
 * Whether several test files run in this process, one after the other, and what is to be closed after the last one.
 * Set by `runFiles`; a file that node runs by itself has its process for itself.
 */
export const sharedProcess: { isShared: boolean; readonly closeAtEnd: (() => Promise<void>)[] } = {
  isShared: false,
  closeAtEnd: [],
}

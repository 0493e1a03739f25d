/** Wakes a loop that sleeps; a ring while it is awake makes its next sleep end at once. */
export function alarm() {
  let isRung = false
  let end = () => {}
  return {
    ring: () => {
      isRung = true
      end()
    },
    sleep: async (ms: number): Promise<void> => {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isRung = false
    },
  }
}

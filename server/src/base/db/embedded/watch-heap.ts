type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number }

/** The part of the global that is used here; its types come with those of browsers. */
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } }

/** WebAssembly's, in which `grow` counts. */
const pageBytes = 65_536

/**
 * Tells how large the memory of this thread's engine is, now and whenever it grows, and refuses to let it grow beyond
 * `maxBytes`. The engine's `malloc` then finds none, which PostgreSQL answers with an error of the statement (SQLSTATE
 * 53200), and continues. The memory never shrinks. Files of a database in memory are not in it.
 */
export function watchHeap(bytesNow: number, maxBytes: number | undefined, onSize: (bytes: number) => void): void {
  const { prototype } = WebAssembly.Memory
  const grow = prototype.grow
  prototype.grow = function growWithin(this: Memory, pages: number): number {
    const bytes = this.buffer.byteLength + pages * pageBytes
    if (maxBytes !== undefined && bytes > maxBytes) throw new RangeError('The engine has all that it may take')
    const before = grow.call(this, pages)
    onSize(bytes)
    return before
  }
  onSize(bytesNow)
}

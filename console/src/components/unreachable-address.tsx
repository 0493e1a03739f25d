import { type AddressReader, addressDoubt } from '@muster/contract/address-doubt.ts'

type Parts = {
  /** Of this server, as another party is told it; undefined until it is known. */
  readonly address: string | undefined
  readonly reader: AddressReader
}

/** Says that another party cannot reach an address of this server; nothing where it can. */
export function UnreachableAddress({ address, reader }: Parts) {
  const doubt = address === undefined ? undefined : addressDoubt(address, reader)
  return doubt === undefined ? null : <p className="note will">{doubt}</p>
}

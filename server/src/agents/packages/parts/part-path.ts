/** Before the hash of a part, in the address that scripts fetch it from. */
export const partPath = '/package_parts'

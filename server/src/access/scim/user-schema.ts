import type { Attribute, ResourceSchema } from './attribute.ts'

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const text = (name: string, description: string): Attribute => ({ name, type: 'string', description })

/** RFC 7643 §2.4: what the values of a multi-valued attribute are made of. */
const several = (name: string, description: string, types: readonly string[] = []): Attribute => ({
  name,
  type: 'complex',
  multiValued: true,
  description,
  subAttributes: [
    text('value', 'The value.'),
    text('display', 'The value as people read it.'),
    {
      name: 'type',
      type: 'string',
      description: 'What the value is for.',
      ...(types.length > 0 && { canonicalValues: types }),
    },
    { name: 'primary', type: 'boolean', description: 'Whether it is the preferred one; true for one value at most.' },
  ],
})

/** Told to clients as required, since a person has an e-mail address; a userName that is one also does. */
const addressed = (attribute: Attribute): Attribute => ({
  ...attribute,
  required: true,
  subAttributes: (attribute.subAttributes ?? []).map((part) =>
    part.name === 'value' ? { ...part, required: true } : part,
  ),
})

/** RFC 7643 §4.1. Left out: `password`, which is never kept, and `groups`, which the groups themselves tell. */
export const userSchema: ResourceSchema = {
  id: userUrn,
  name: 'User',
  description: 'A person',
  attributes: [
    {
      name: 'userName',
      type: 'string',
      required: true,
      uniqueness: 'server',
      description: 'What the identity provider calls the person; unique whatever its case.',
    },
    {
      name: 'name',
      type: 'complex',
      description: 'The parts of the name.',
      subAttributes: [
        text('formatted', 'The whole name.'),
        text('familyName', 'The family name.'),
        text('givenName', 'The given name.'),
        text('middleName', 'The middle names.'),
        text('honorificPrefix', 'Titles before the name.'),
        text('honorificSuffix', 'Suffixes after the name.'),
      ],
    },
    text('displayName', 'The name of the person as it is shown.'),
    text('nickName', 'What the person is called casually.'),
    { name: 'profileUrl', type: 'reference', referenceTypes: ['external'], description: 'A page about the person.' },
    text('title', 'The title, such as "Vice President".'),
    text('userType', 'The relation to the organization, such as "Contractor".'),
    text('preferredLanguage', 'The preferred languages, as in Accept-Language.'),
    text('locale', 'The locale, for dates and numbers.'),
    text('timezone', 'The time zone, such as "America/Los_Angeles".'),
    {
      name: 'active',
      type: 'boolean',
      description: 'Whether the person belongs to the organization; without that all their registrations end.',
    },
    addressed(
      several(
        'emails',
        'E-mail addresses; the primary one is the address of the person. Only a user whose userName is an address can do without.',
        ['work', 'home', 'other'],
      ),
    ),
    several('phoneNumbers', 'Phone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    several('ims', 'Instant messaging addresses.'),
    several('photos', 'Addresses of photos.', ['photo', 'thumbnail']),
    {
      name: 'addresses',
      type: 'complex',
      multiValued: true,
      description: 'Postal addresses.',
      subAttributes: [
        text('formatted', 'The whole address.'),
        text('streetAddress', 'Street, house and the like.'),
        text('locality', 'The town.'),
        text('region', 'The state or region.'),
        text('postalCode', 'The postal code.'),
        text('country', 'The country.'),
        {
          name: 'type',
          type: 'string',
          canonicalValues: ['work', 'home', 'other'],
          description: 'What the address is for.',
        },
        { name: 'primary', type: 'boolean', description: 'Whether it is the preferred one.' },
      ],
    },
    several('entitlements', 'Things the person has a right to.'),
    several('roles', 'Roles of the person.'),
    several('x509Certificates', 'Certificates of the person, DER in base64.'),
  ],
}

/** RFC 7643 §4.3. */
export const enterpriseSchema: ResourceSchema = {
  id: enterpriseUrn,
  name: 'EnterpriseUser',
  description: 'What employers know of a person',
  attributes: [
    text('employeeNumber', 'The number of the employee.'),
    text('costCenter', 'The cost centre.'),
    text('organization', 'The organization.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    {
      name: 'manager',
      type: 'complex',
      description: 'Whom the person reports to.',
      subAttributes: [
        text('value', 'The identifier of the manager.'),
        { name: '$ref', type: 'reference', referenceTypes: ['User'], description: 'The address of the manager.' },
        text('displayName', 'The name of the manager.'),
      ],
    },
  ],
}

/** Everything that a user may be told to be: the schema, the common `externalId`, and the extension as one value. */
export const userAttributes: readonly Attribute[] = [
  { name: 'externalId', type: 'string', caseExact: true, description: 'The identifier of the identity provider.' },
  ...userSchema.attributes,
  {
    name: enterpriseUrn,
    type: 'complex',
    description: enterpriseSchema.description,
    subAttributes: enterpriseSchema.attributes,
  },
]

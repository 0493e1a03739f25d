import type { Links } from '../../base/links.ts'
import type { Attribute, ResourceSchema, Values } from './attribute.ts'
import { groupSchema, groupUrn } from './group-schema.ts'
import { maxResultsPerPage } from './list-query.ts'
import { enterpriseSchema, enterpriseUrn, userSchema, userUrn } from './user-schema.ts'

/** RFC 7643 §5. */
export const presentServiceProviderConfig = (links: Links): Values => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxResultsPerPage },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token made with `muster scim create-token`, in the header Authorization.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: links.url('/scim/v2/ServiceProviderConfig') },
})

/** RFC 7643 §6. */
export const resourceTypes = (links: Links): Values[] => [
  {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: userSchema.description,
    schema: userUrn,
    schemaExtensions: [{ schema: enterpriseUrn, required: false }],
    meta: { resourceType: 'ResourceType', location: links.url('/scim/v2/ResourceTypes/User') },
  },
  {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: 'Group',
    name: 'Group',
    endpoint: '/Groups',
    description: groupSchema.description,
    schema: groupUrn,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: links.url('/scim/v2/ResourceTypes/Group') },
  },
]

/** RFC 7643 §7. */
export const schemas = (links: Links): Values[] =>
  [userSchema, enterpriseSchema, groupSchema].map((schema) => presentSchema(schema, links))

const presentSchema = ({ id, name, description, attributes }: ResourceSchema, links: Links): Values => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description,
  attributes: attributes.map(presentAttribute),
  meta: { resourceType: 'Schema', location: links.url(`/scim/v2/Schemas/${id}`) },
})

function presentAttribute(attribute: Attribute): Values {
  const { name, type, description, canonicalValues, referenceTypes, subAttributes } = attribute
  return {
    name,
    type,
    multiValued: attribute.multiValued ?? false,
    description,
    required: attribute.required ?? false,
    ...(type !== 'boolean' && type !== 'complex' && { caseExact: attribute.caseExact ?? type !== 'string' }),
    mutability: attribute.mutability ?? 'readWrite',
    returned: 'default',
    uniqueness: attribute.uniqueness ?? 'none',
    ...(canonicalValues && { canonicalValues }),
    ...(referenceTypes && { referenceTypes }),
    ...(subAttributes && { subAttributes: subAttributes.map(presentAttribute) }),
  }
}

/* audit_impl.h: what the files of the audit share. */
#ifndef IA_DRIVER_SNAPSHOT_AUDIT_IMPL_H
#define IA_DRIVER_SNAPSHOT_AUDIT_IMPL_H

#include "driver/snapshot/audit.h"
#include "driver/snapshot/model.h"

/* audit_list.c: adds a finding about an element. */
void ia_audit_add(struct ia_audit *a, enum ia_audit_rule rule, enum ia_audit_severity severity,
                  const struct ia_element *e, const char *fmt, ...) IA_PRINTF(5, 6);
/* The same about a node that is no element. */
void ia_audit_add_node(struct ia_audit *a, enum ia_audit_rule rule,
                       enum ia_audit_severity severity, const struct ia_node *n,
                       const char *message);

/* audit_rules.c: by the elements of the snapshot. */
void ia_audit_elements(struct ia_audit *a, const struct ia_snapshot *s);
/* audit_tree.c: by the nodes of the tree. */
void ia_audit_nodes(struct ia_audit *a, const struct ia_snapshot *s, const struct ia_tree *t);

#endif

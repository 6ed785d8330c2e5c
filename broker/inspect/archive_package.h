/* SPDX-License-Identifier: ISC
 * Packages: archives of a known structure (docx, jar, whl, deb ...), decided by the names of all their
 * members and not by the first one, and what their format prescribes inside. */
#ifndef SALLYPORT_ARCHIVE_PACKAGE_H
#define SALLYPORT_ARCHIVE_PACKAGE_H

#include "inspect/archive_name.h"

/* What is admitted for the members of one container. */
struct package_rule {
    bool package; /* hand over as package_part */
    enum name_rules names;
    const struct type_set *set; /* NULL: the parent's inside types */
    struct type_set own;
};

/* The rule for a container that is no package itself: inside a package's part the package's rule goes on. */
void package_rule_plain(const struct inspection *in, struct package_rule *rule);
/* The rule of a package type: what its format prescribes, and the contract's inside types. */
void package_rule_of(const struct inspection *in, enum type package, struct package_rule *rule);

/* Says the structure claims of a zip: the packages it is, or TYPE_ZIP. mimetype: content of the member
 * "mimetype" (may be empty). Returns one of the packages, or TYPE_ZIP. */
enum type package_claim_zip(struct inspection *in, const struct names *names, const char *mimetype,
                            size_t len);

/* One member through all inspectors, by the rule, and through what its package adds (office parts). */
bool package_member(struct inspection *in, const struct package_rule *rule, enum type package,
                    const char *name, size_t len, struct bytes *content);

#endif

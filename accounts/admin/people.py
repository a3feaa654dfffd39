"""Admin of people: members, invitations, API keys; users and organizations for operators."""

from typing import Any, cast
from uuid import UUID

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts import audit, keys, members
from accounts.admin.limits import limits_page
from accounts.admin.rows import label_display, related_text
from accounts.admin.scope import OrganizationAdmin, SuperuserAdmin, is_operator
from accounts.identity.consequences import forget_credentials
from accounts.identity.second_factor import reset_second_factor, second_factor_exists, tell_of_reset
from accounts.models import ApiKey, Invitation, Membership, Organization, User

# Other apps register these: Django's permissions and verified addresses, which Acervo does not use, and second factors,
# which are their users' alone.
for unused in (Group, EmailAddress, EmailConfirmation, Authenticator):
    if admin.site.is_registered(unused):
        admin.site.unregister(unused)


@admin.register(Membership)
class MembershipAdmin(OrganizationAdmin):
    """Members join by invitation; here their role changes or they leave. Operators may add one directly."""

    writes = frozenset({"add", "change", "delete"})
    readonly_fields = ("person", "email")
    list_display = ("person", "email", "shown_role", "opens", "created_at")
    list_filter = ("role",)
    list_select_related = ("user", "organization")
    search_fields = ("user__name__matches", "user__email__matches")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("person", "email", "role", "is_active") if obj else ("user", "role")

    person = related_text("user", _("user"))

    @admin.display(description=_("email address"), ordering="user__email")
    def email(self, obj: Membership) -> str:
        return obj.user.email

    @label_display(_("role"), {"admin": "primary", "member": "info"}, ordering="role")
    def shown_role(self, obj: Membership) -> tuple[str, str]:
        return obj.role, obj.get_role_display()

    @admin.display(description=_("active"), boolean=True, ordering="is_active")
    def opens(self, obj: Membership) -> bool:
        return obj.is_active and obj.user.is_active

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        if not change:
            super().save_model(request, obj, form, change)
            return
        if "role" in form.changed_data:
            members.change_role(obj, obj.role, self.by(request, obj))
        if "is_active" in form.changed_data:
            members.change_active(obj, obj.is_active, self.by(request, obj))

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        members.end_membership(obj, self.by(request, obj))

    def goes_with(self, chosen: Any) -> dict[str, int]:
        count = ApiKey.objects.filter(membership__in=chosen).count()
        return {str(ApiKey._meta.verbose_name_plural): count} if count else {}


@admin.register(Invitation)
class InvitationAdmin(OrganizationAdmin):
    """Read-only: invitations are made and withdrawn on the members page, which shows a link once."""

    list_display = ("email", "role", "is_open", "inviter", "expires_at", "accepted_at")
    list_filter = ("role",)
    list_select_related = ("invited_by", "organization")
    search_fields = ("email",)
    fields = ("email", "role", "inviter", "created_at", "expires_at", "accepted_at")
    readonly_fields = fields
    inviter = related_text("invited_by", _("invited by"))

    @admin.display(description=_("open"), boolean=True)
    def is_open(self, obj: Invitation) -> bool:
        return obj.is_open


@admin.register(ApiKey)
class ApiKeyAdmin(OrganizationAdmin):
    """Keys are made by their users and shown once; an admin sees whose they are and revokes them."""

    organization_path = "membership__organization"
    list_display = ("prefix", "name", "owner", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    list_select_related = ("membership__user", "membership__organization")
    search_fields = ("prefix", "name__matches", "membership__user__email")
    fields = ("prefix", "name", "owner", "created_at", "last_used_at", "last_used_from", "expires_at", "revoked_at")
    readonly_fields = fields
    actions = ("revoke",)

    @admin.display(description=_("user"), ordering="membership__user__email")
    def owner(self, obj: ApiKey) -> str:
        return obj.membership.user.email

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.admits(request)

    @admin.action(description=_("Revoke the selected keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        usable = list(queryset.filter(revoked_at=None))
        for key in usable:
            keys.revoke_key(key, self.by(request, key))
        self.message_user(request, _("Revoked keys: %(count)d.") % {"count": len(usable)}, messages.SUCCESS)


@admin.register(Organization)
class TenantAdmin(OrganizationAdmin):
    """Operators make organizations and have them erased; an organization's admins rename their own."""

    change_form_outer_before_template = "admin/accounts/_organization_links.html"
    organization_path = "pk"
    writes = frozenset({"change"})
    audited_flags = ("requires_two_factor", "traces_kept_days", "audit_kept_days")
    list_display = ("name", "slug", "requires_two_factor", "member_count", "created_at")
    search_fields = ("name__matches", "slug")
    fields = ("name", "slug", "requires_two_factor", "traces_kept_days", "audit_kept_days")

    def get_urls(self) -> list[URLPattern]:
        limits = self.admin_site.admin_view(self.limits_view)
        return [path("<uuid:pk>/limits/", limits, name="accounts_limits"), *super().get_urls()]

    def limits_view(self, request: HttpRequest, pk: UUID) -> HttpResponseBase:
        """For an organization's admins their own; for everybody else there is none."""

        def view(request: HttpRequest) -> HttpResponse:
            organization = self.get_queryset(request).filter(pk=pk).first()
            if organization is None:
                raise Http404
            by, site = self.by(request, organization), self.admin_site.each_context(request)
            return limits_page(request, organization, by, site, is_operator=is_operator(request))

        return self.shown(request, view)

    def organization_id_of(self, obj: Organization) -> Any:
        return obj.pk

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if is_operator(request) else ("slug",)

    def get_list_display(self, request: HttpRequest) -> Any:
        return self.list_display

    def get_list_filter(self, request: HttpRequest) -> Any:
        return ()

    @admin.display(description=_("members"))
    def member_count(self, obj: Organization) -> int:
        return obj.memberships.count()


class LowercaseEmailField(forms.EmailField):
    """Addresses are kept in lower case; what is compared with them must be as well."""

    def to_python(self, value: Any) -> Any:
        return (super().to_python(value) or "").lower()


@admin.register(User)
class UserAdmin(SuperuserAdmin, DjangoUserAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Users are deactivated, or erased with all that is their own (`chat.admin.erasing`)."""

    change_form_outer_before_template = "admin/accounts/_erase_user.html"

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("email", "name", "is_active", "is_superuser", "two_factor", "date_joined", "last_login")
    actions = ("reset_two_factor",)
    list_filter = ("is_active", "is_superuser")
    search_fields = ("email", "name__matches")
    ordering = ("email",)
    filter_horizontal = ()
    readonly_fields = ("date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        (_("Access"), {"fields": ("is_active", "is_superuser", "date_joined", "last_login")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "name", "usable_password", "password1", "password2")}),)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """A password that an operator sets is as one that was reset by mail: nothing of before opens anything."""
        before = self.get_object(request, id)
        response = self.shown(request, super().user_change_password, id, form_url)
        after = self.get_object(request, id)
        if before and after and before.password != after.password and isinstance(request.user, User):
            forget_credentials(after, request.user)
        return response

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        users: QuerySet[User] = super().get_queryset(request)
        return users.annotate(has_two=second_factor_exists())

    @admin.display(description=_("two-factor sign-in"), boolean=True)
    def two_factor(self, obj: User) -> bool:
        return bool(obj.has_two)  # type: ignore[attr-defined]  # an annotation of get_queryset

    @admin.action(description=_("Reset two-factor sign-in of the selected users"), permissions=["change"])
    def reset_two_factor(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """For somebody who has lost theirs: make sure first that it is them."""
        actor = cast(User, request.user)
        helped = [user for user in queryset if reset_second_factor(user, actor)]
        for user in helped:
            tell_of_reset(user)
        self.message_user(request, _("Reset for: %(count)d.") % {"count": len(helped)}, messages.SUCCESS)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "email":
            kwargs["form_class"] = LowercaseEmailField
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        changed = {"is_active", "is_superuser"} & set(form.changed_data)
        actor = cast(User, request.user)
        if change and changed:
            audit.record_everywhere(obj, actor, "changed", **{name: getattr(obj, name) for name in changed})
        if change and "email" in form.changed_data:
            audit.record_everywhere(obj, actor, "email_changed")
